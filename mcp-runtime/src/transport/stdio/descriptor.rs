//! Standard input and output as they are: pipes and sockets without threads, files and terminals by a fallback.

use std::io;

use tokio::io::{AsyncRead, AsyncWrite};

/// Standard input.
pub(crate) type Input = Box<dyn AsyncRead + Unpin + Send>;

/// Standard output.
pub(crate) type Output = Box<dyn AsyncWrite + Unpin + Send>;

/// Keeps whatever else the process prints off the wire, until it is dropped.
#[derive(Debug)]
pub(crate) struct Redirected {
    #[cfg(unix)]
    saved: rustix::fd::OwnedFd,
    #[cfg(unix)]
    restore: Vec<(rustix::fd::OwnedFd, rustix::fs::OFlags)>,
}

/// Takes standard input and output for the protocol alone.
///
/// On Unix, descriptor 1 is turned to standard error meanwhile, so that `println!` in user code cannot reach the wire.
/// Elsewhere nothing can do that: a handler must not print there.
#[cfg(unix)]
pub(crate) fn standard_streams() -> io::Result<(Input, Output, Redirected)> {
    use rustix::{fd::AsFd, io::dup};

    let input = dup(io::stdin().as_fd())?;
    let output = dup(io::stdout().as_fd())?;
    let saved = dup(&output)?;
    rustix::stdio::dup2_stdout(io::stderr().as_fd())?;
    let mut restore = Vec::new();
    let reader = match unix::reader(&input, &mut restore) {
        Some(reader) => reader,
        None => Box::new(tokio::io::stdin()),
    };
    let writer = match unix::writer(&output, &mut restore) {
        Some(writer) => writer,
        None => Box::new(unix::Blocking(std::fs::File::from(output))),
    };
    Ok((reader, writer, Redirected { saved, restore }))
}

/// Takes standard input and output for the protocol alone.
#[cfg(not(unix))]
pub(crate) fn standard_streams() -> io::Result<(Input, Output, Redirected)> {
    Ok((Box::new(tokio::io::stdin()), Box::new(tokio::io::stdout()), Redirected {}))
}

#[cfg(unix)]
impl Drop for Redirected {
    fn drop(&mut self) {
        use rustix::fs::fcntl_setfl;

        for (descriptor, flags) in &self.restore {
            // The open file may be shared with another process, which does not expect our flag on it.
            let _ = fcntl_setfl(descriptor, *flags);
        }
        // Nothing else can be done with the process's standard output but to give it back.
        let _ = rustix::stdio::dup2_stdout(&self.saved);
    }
}

#[cfg(unix)]
mod unix {
    use std::{
        fs::File,
        io::{self, Write},
        os::unix::net::UnixStream as StdStream,
        pin::Pin,
        task::{Context, Poll},
    };

    use rustix::{
        fd::{AsFd, OwnedFd},
        fs::{FileType, OFlags, fcntl_getfl, fcntl_setfl, fstat},
        io::dup,
    };
    use tokio::{
        io::AsyncWrite,
        net::{UnixStream, unix::pipe},
    };

    use super::{Input, Output};

    /// The flags that open files had, to be given back to them.
    type Flags = Vec<(OwnedFd, OFlags)>;

    pub(super) fn reader(descriptor: &OwnedFd, restore: &mut Flags) -> Option<Input> {
        let (kind, own) = open(descriptor, restore)?;
        Some(match kind {
            FileType::Fifo => Box::new(pipe::Receiver::from_file(File::from(own)).ok()?),
            _ => Box::new(UnixStream::from_std(StdStream::from(own)).ok()?),
        })
    }

    pub(super) fn writer(descriptor: &OwnedFd, restore: &mut Flags) -> Option<Output> {
        let (kind, own) = open(descriptor, restore)?;
        Some(match kind {
            FileType::Fifo => Box::new(pipe::Sender::from_file(File::from(own)).ok()?),
            _ => Box::new(UnixStream::from_std(StdStream::from(own)).ok()?),
        })
    }

    /// A pipe or a socket, ready to be waited for. `None` for files and terminals, and for what standard error is, too:
    /// whoever writes there does not expect to be told to come again.
    fn open(descriptor: &OwnedFd, restore: &mut Flags) -> Option<(FileType, OwnedFd)> {
        let status = fstat(descriptor).ok()?;
        let kind = FileType::from_raw_mode(status.st_mode);
        let shared = fstat(io::stderr().as_fd())
            .is_ok_and(|error| (error.st_dev, error.st_ino) == (status.st_dev, status.st_ino));
        if shared || !matches!(kind, FileType::Fifo | FileType::Socket) {
            return None;
        }
        let flags = fcntl_getfl(descriptor).ok()?;
        let (own, saved) = (dup(descriptor).ok()?, dup(descriptor).ok()?);
        fcntl_setfl(descriptor, flags | OFlags::NONBLOCK).ok()?;
        restore.push((saved, flags));
        Some((kind, own))
    }

    /// A file or a terminal: it is written in place, since it takes what it gets.
    pub(super) struct Blocking(pub(super) File);

    impl AsyncWrite for Blocking {
        fn poll_write(mut self: Pin<&mut Self>, _: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
            Poll::Ready(self.0.write(bytes))
        }

        fn poll_flush(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
            Poll::Ready(self.0.flush())
        }

        fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
            Poll::Ready(Ok(()))
        }
    }
}
