"""What a class and each of its students read: static pages, in HTML and Markdown, that run nothing and ask nobody."""
