"""Videos indexed in processes of their own."""
