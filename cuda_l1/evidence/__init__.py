"""What ran, what the text shows, what a task takes at least: it explains a verdict, and hardly ever makes one."""
