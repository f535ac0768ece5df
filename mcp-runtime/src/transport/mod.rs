//! How bytes arrive (floor 3): each transport decodes, hands on to the dispatcher, and encodes; none knows a method.

#[cfg(feature = "http")]
pub(crate) mod http;
pub(crate) mod memory;
pub(crate) mod stdio;
