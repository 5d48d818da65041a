"""The walls around a child: set up once in the zygote, raised in each child."""
