//! One message a line, over the pipes of the process.

use std::{
    io::{self, BufRead, Write, stdin, stdout},
    os::fd::AsFd,
};

use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader},
    net::unix::pipe::{Receiver, Sender},
};

use crate::messages;

/// Over non-blocking pipes. What is answered is written when the input has run dry.
pub(crate) async fn serve() -> io::Result<()> {
    let mut input =
        BufReader::with_capacity(64 * 1024, Receiver::from_owned_fd(stdin().as_fd().try_clone_to_owned()?)?);
    let mut output = Sender::from_owned_fd(stdout().as_fd().try_clone_to_owned()?)?;
    let (mut line, mut out) = (Vec::new(), Vec::new());
    while input.read_until(b'\n', &mut line).await? > 0 {
        answer(&line, &mut out);
        line.clear();
        if !input.buffer().contains(&b'\n') {
            output.write_all(&out).await?;
            out.clear();
        }
    }
    Ok(())
}

/// The same with one thread that waits.
pub(crate) fn serve_blocking() -> io::Result<()> {
    let mut input = io::BufReader::with_capacity(64 * 1024, stdin().lock());
    let mut output = stdout().lock();
    let (mut line, mut out) = (Vec::new(), Vec::new());
    while input.read_until(b'\n', &mut line)? > 0 {
        answer(&line, &mut out);
        line.clear();
        if !input.buffer().contains(&b'\n') {
            output.write_all(&out)?;
            output.flush()?;
            out.clear();
        }
    }
    Ok(())
}

fn answer(line: &[u8], out: &mut Vec<u8>) {
    if let Ok(Some(answer)) = messages::answer(line) {
        out.extend_from_slice(&answer);
        out.push(b'\n');
    }
}
