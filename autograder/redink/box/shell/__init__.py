"""What runs inside a child: the shell for cells, its output, its fixed seeds and its warm libraries."""
