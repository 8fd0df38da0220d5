from storyscope.cli.main import main

# Processes that Dask starts import this file too.
if __name__ == "__main__":
    main()
