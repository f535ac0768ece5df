//! What can be done: the registry of functions and the one dispatcher that calls them.

pub(crate) mod error;
