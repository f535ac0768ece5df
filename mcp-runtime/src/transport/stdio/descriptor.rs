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
    let reader: Input = match unix::Descriptor::open(&input, &mut restore) {
        Some(descriptor) => Box::new(descriptor),
        None => Box::new(tokio::io::stdin()),
    };
    let writer: Output = match unix::Descriptor::open(&output, &mut restore) {
        Some(descriptor) => Box::new(descriptor),
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
        io::{self, IsTerminal, Write},
        pin::Pin,
        task::{Context, Poll, ready},
    };

    use rustix::{
        fd::{AsFd, OwnedFd},
        fs::{FileType, OFlags, fcntl_getfl, fcntl_setfl, fstat},
        io::{Errno, dup},
    };
    use tokio::io::{AsyncRead, AsyncWrite, ReadBuf, unix::AsyncFd};

    /// A pipe or a socket, read and written when the system says that it is ready.
    pub(super) struct Descriptor(AsyncFd<OwnedFd>);

    impl Descriptor {
        /// `None` for what cannot be waited for: files, terminals, and what standard error is, too, since its
        /// writers do not expect to be told to come again.
        pub(super) fn open(descriptor: &OwnedFd, restore: &mut Vec<(OwnedFd, OFlags)>) -> Option<Self> {
            let status = fstat(descriptor).ok()?;
            let waits = matches!(FileType::from_raw_mode(status.st_mode), FileType::Fifo | FileType::Socket);
            let shared = fstat(io::stderr().as_fd())
                .is_ok_and(|error| (error.st_dev, error.st_ino) == (status.st_dev, status.st_ino));
            if !waits || shared || descriptor.is_terminal() {
                return None;
            }
            let flags = fcntl_getfl(descriptor).ok()?;
            let own = AsyncFd::new(dup(descriptor).ok()?).ok()?;
            let saved = dup(descriptor).ok()?;
            fcntl_setfl(descriptor, flags | OFlags::NONBLOCK).ok()?;
            restore.push((saved, flags));
            Some(Self(own))
        }
    }

    impl AsyncRead for Descriptor {
        fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
            loop {
                let mut guard = ready!(self.0.poll_read_ready(cx))?;
                let space = buffer.initialize_unfilled();
                let wanted = space.len();
                match rustix::io::read(self.0.get_ref(), space) {
                    Ok(count) => {
                        // Less than was asked for: nothing is left, and asking again would cost a call to learn it.
                        if count > 0 && count < wanted {
                            guard.clear_ready();
                        }
                        buffer.advance(count);
                        return Poll::Ready(Ok(()));
                    }
                    Err(Errno::AGAIN) => guard.clear_ready(),
                    Err(Errno::INTR) => {}
                    Err(error) => return Poll::Ready(Err(error.into())),
                }
            }
        }
    }

    impl AsyncWrite for Descriptor {
        fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
            loop {
                let mut guard = ready!(self.0.poll_write_ready(cx))?;
                match rustix::io::write(self.0.get_ref(), bytes) {
                    Ok(count) => return Poll::Ready(Ok(count)),
                    Err(Errno::AGAIN) => guard.clear_ready(),
                    Err(Errno::INTR) => {}
                    Err(error) => return Poll::Ready(Err(error.into())),
                }
            }
        }

        fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
            Poll::Ready(Ok(()))
        }

        fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
            Poll::Ready(Ok(()))
        }
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
