//! The facade.

pub mod limits;
mod server;

pub use server::error::Error;
