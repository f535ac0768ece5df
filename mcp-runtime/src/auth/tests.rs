//! Authentication as a whole.
