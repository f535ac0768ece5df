//! What stands in the README, as tests.

#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct ReadMe;
