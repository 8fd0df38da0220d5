from storyscope.cli.main import main

main()
