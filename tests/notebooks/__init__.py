"""Running the notebooks and comparing what comes out with what is committed."""
