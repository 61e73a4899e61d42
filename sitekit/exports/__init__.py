"""What readers take away: notebooks, scripts, the site as a zip, and the policy for its host."""
