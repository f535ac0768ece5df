//! A module in a file of its own.
