//! Placeholder.
use std::{io, process::ExitCode};
pub(crate) async fn compare(_file: &str) -> io::Result<ExitCode> { Ok(ExitCode::SUCCESS) }
pub(crate) async fn write(_file: &str) -> io::Result<()> { Ok(()) }
