//! A kept HTTP/1.1 connection.

use std::{io, net::SocketAddr};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

use crate::other;

#[derive(Debug)]
pub(crate) struct Connection {
    stream: TcpStream,
    host: SocketAddr,
    /// Header lines of every request.
    headers: String,
    out: Vec<u8>,
    input: Vec<u8>,
    /// How much of the input is used up.
    used: usize,
}

/// The head of an answer.
#[derive(Debug)]
pub(crate) struct Head {
    pub(crate) status: u16,
    pub(crate) session: Option<String>,
    /// `None`: in chunks.
    length: Option<usize>,
}

impl Connection {
    pub(crate) async fn open(host: SocketAddr, headers: String) -> io::Result<Self> {
        let stream = TcpStream::connect(host).await?;
        stream.set_nodelay(true)?;
        Ok(Self { stream, host, headers, out: Vec::new(), input: Vec::new(), used: 0 })
    }

    /// Adds a header line to all requests from now on.
    pub(crate) fn add_header(&mut self, line: &str) {
        self.headers.push_str(line);
        self.headers.push_str("\r\n");
    }

    /// One request and its whole answer; the body takes the place of what `body` held.
    pub(crate) async fn exchange(
        &mut self,
        method: &str,
        target: &str,
        headers: &str,
        content: &str,
        body: &mut Vec<u8>,
    ) -> io::Result<Head> {
        let head = self.begin(method, target, headers, content).await?;
        body.clear();
        match head.length {
            Some(length) => {
                self.need(length).await?;
                body.extend_from_slice(&self.input[self.used..self.used + length]);
                self.used += length;
            }
            None => while self.chunk(body).await? {},
        }
        Ok(head)
    }

    /// One request and the head of its answer.
    pub(crate) async fn begin(&mut self, method: &str, target: &str, headers: &str, content: &str) -> io::Result<Head> {
        use io::Write;
        self.out.clear();
        let (host, kept) = (self.host, &self.headers);
        write!(self.out, "{method} {target} HTTP/1.1\r\nhost: {host}\r\n{kept}{headers}")?;
        if method == "POST" {
            write!(self.out, "content-type: application/json\r\ncontent-length: {}\r\n", content.len())?;
        }
        self.out.extend_from_slice(b"\r\n");
        self.out.extend_from_slice(content.as_bytes());
        self.stream.write_all(&self.out).await?;
        self.head().await
    }

    /// Appends the next chunk; false when it was the last.
    pub(crate) async fn chunk(&mut self, body: &mut Vec<u8>) -> io::Result<bool> {
        let line = self.until(b"\r\n").await?;
        let size = usize::from_str_radix(&line, 16).map_err(|_| other(format!("`{line}` is no chunk's size")))?;
        self.need(size + 2).await?;
        body.extend_from_slice(&self.input[self.used..self.used + size]);
        self.used += size + 2;
        Ok(size > 0)
    }

    async fn head(&mut self) -> io::Result<Head> {
        let text = self.until(b"\r\n\r\n").await?;
        let mut lines = text.split("\r\n");
        let status = lines.next().and_then(|line| line.split(' ').nth(1)?.parse().ok());
        let mut head = Head { status: status.ok_or_else(|| other("no status line"))?, session: None, length: Some(0) };
        for (name, value) in lines.filter_map(|line| line.split_once(':')) {
            let value = value.trim();
            if name.eq_ignore_ascii_case("content-length") {
                head.length = value.parse().ok();
            } else if name.eq_ignore_ascii_case("transfer-encoding") {
                head.length = None;
            } else if name.eq_ignore_ascii_case("mcp-session-id") {
                head.session = Some(value.to_owned());
            }
        }
        Ok(head)
    }

    /// The text up to `end`, which is used up with it.
    async fn until(&mut self, end: &[u8]) -> io::Result<String> {
        loop {
            if let Some(at) = memchr::memmem::find(&self.input[self.used..], end) {
                let text = String::from_utf8_lossy(&self.input[self.used..self.used + at]).into_owned();
                self.used += at + end.len();
                return Ok(text);
            }
            self.more().await?;
        }
    }

    async fn need(&mut self, length: usize) -> io::Result<()> {
        while self.input.len() - self.used < length {
            self.more().await?;
        }
        Ok(())
    }

    async fn more(&mut self) -> io::Result<()> {
        if self.used > 0 {
            self.input.drain(..self.used);
            self.used = 0;
        }
        self.input.reserve(64 * 1024);
        match self.stream.read_buf(&mut self.input).await? {
            0 => Err(other("the server closed the connection")),
            _ => Ok(()),
        }
    }
}
