"""The start of the program of one file. PyInstaller follows the imports from here."""

import multiprocessing

from cli.app import main

if __name__ == "__main__":
    # Where processes are not forked, a worker of `verify --jobs` starts here too.
    multiprocessing.freeze_support()
    main()
