//! What the macros make of a program.
