"""What a robot is to do and when to break off: tasks, the table that joins them, and guards."""
