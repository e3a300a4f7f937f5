"""What surrounds the robots: signed distance, ray casts, wind."""
