//! The facade.

pub mod config;
pub mod limits;
mod server;

pub use config::{
    AuthOptions, CorsOptions, HttpStreamOptions, ServerOptions, SseOptions, TransportOptions,
};
pub use server::error::Error;
