//! Event streams that stay open.

use std::io;

use crate::{http::Connection, other};

#[derive(Debug)]
pub(crate) struct Events {
    connection: Connection,
    input: Vec<u8>,
}

impl Events {
    pub(crate) async fn open(
        mut connection: Connection,
        method: &str,
        target: &str,
        headers: &str,
        content: &str,
    ) -> io::Result<Self> {
        let head = connection.begin(method, target, headers, content).await?;
        if head.status != 200 {
            return Err(other(format!("{method} {target} was answered with {}", head.status)));
        }
        Ok(Self { connection, input: Vec::new() })
    }

    /// The data of the next event that has some takes the place of what `data` held.
    pub(crate) async fn next(&mut self, data: &mut Vec<u8>) -> io::Result<()> {
        loop {
            while let Some(end) = memchr::memmem::find(&self.input, b"\n\n") {
                data.clear();
                for line in self.input[..end].split(|byte| *byte == b'\n') {
                    data.extend_from_slice(line.strip_prefix(b"data: ").unwrap_or_default());
                }
                self.input.drain(..end + 2);
                if !data.is_empty() {
                    return Ok(());
                }
            }
            if !self.connection.chunk(&mut self.input).await? {
                return Err(other("the server ended the stream"));
            }
        }
    }
}
