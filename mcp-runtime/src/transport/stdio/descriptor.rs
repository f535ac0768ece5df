//! Standard input and output as they are: pipes and sockets without threads, files and terminals by a fallback.

use std::{
    io,
    pin::Pin,
    task::{Context, Poll, ready},
};

use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    sync::mpsc,
};

/// Standard input.
pub(super) type Input = Box<dyn AsyncRead + Unpin + Send>;

/// Standard output.
pub(super) type Output = Box<dyn AsyncWrite + Unpin + Send>;

/// Standard input and output, as the protocol has them.
pub(super) struct Streams {
    pub(super) input: Input,
    pub(super) output: Output,
    pub(super) prints: Prints,
    pub(super) redirected: Redirected,
}

/// What is printed, and has yet to be passed on: to be begun before anybody prints much, or waits for it. Begins when it is
/// dropped, if nobody did before.
#[derive(Debug, Default)]
pub(super) struct Prints {
    #[cfg(unix)]
    pending: Option<unix::Pending>,
}

/// Keeps whatever else the process prints, reads and starts off the wire.
#[derive(Debug)]
pub(super) struct Redirected {
    #[cfg(unix)]
    restore: unix::Flags,
    /// Closed when all that was printed has come through.
    #[cfg(unix)]
    through: std::sync::mpsc::Receiver<()>,
}

/// Takes standard input and output for the protocol alone, for good.
///
/// On Unix, descriptor 0 is turned to nothing, and what is printed to descriptor 1 goes to standard error, so that neither
/// `println!` in user code nor a program that it starts can reach the wire. Elsewhere nothing can do that: a handler must
/// not print.
#[cfg(unix)]
pub(super) fn standard_streams() -> io::Result<Streams> {
    use rustix::fd::AsFd;

    let input = unix::own(io::stdin().as_fd())?;
    let output = unix::own(io::stdout().as_fd())?;
    rustix::stdio::dup2_stdin(std::fs::File::open("/dev/null")?)?;
    let (pending, through) = unix::redirect_prints()?;
    let prints = Prints { pending: Some(pending) };
    let mut restore = unix::Flags::default();
    let input = unix::reader(input, &mut restore)?;
    let output = unix::writer(output, &mut restore)?;
    Ok(Streams { input, output, prints, redirected: Redirected { restore, through } })
}

/// Takes standard input and output for the protocol alone.
#[cfg(not(unix))]
pub(super) fn standard_streams() -> io::Result<Streams> {
    Ok(Streams {
        input: Box::new(Threaded::new(io::stdin())),
        output: Box::new(tokio::io::stdout()),
        prints: Prints::default(),
        redirected: Redirected {},
    })
}

impl Prints {
    /// Begins to pass on, if that was not done.
    pub(super) fn pass_on(&mut self) {
        #[cfg(unix)]
        if let Some(pending) = self.pending.take() {
            pending.pass_on();
        }
    }
}

impl Drop for Prints {
    fn drop(&mut self) {
        self.pass_on();
    }
}

#[cfg(unix)]
impl Drop for Redirected {
    fn drop(&mut self) {
        self.restore.restore();
        unix::end_of_printed(&self.through);
    }
}

/// A file or a terminal, read by a thread of its own: nothing else can wait for it. The thread is none of the runtime's,
/// so that it keeps no process alive.
struct Threaded {
    pieces: mpsc::Receiver<io::Result<Vec<u8>>>,
    piece: Vec<u8>,
    taken: usize,
}

impl Threaded {
    fn new(mut source: impl io::Read + Send + 'static) -> Self {
        const PIECE: usize = 16 * 1024;
        let (sender, pieces) = mpsc::channel(1);
        let read = move || loop {
            let mut piece = vec![0; PIECE];
            let read = match source.read(&mut piece) {
                Ok(0) => return,
                Ok(count) => {
                    piece.truncate(count);
                    Ok(piece)
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => Err(error),
            };
            let failed = read.is_err();
            if sender.blocking_send(read).is_err() || failed {
                return;
            }
        };
        // Without a thread there is no input: its channel closes, which reads as its end.
        drop(std::thread::Builder::new().name("mcp-stdin".to_owned()).spawn(read));
        Self { pieces, piece: Vec::new(), taken: 0 }
    }
}

impl AsyncRead for Threaded {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        if self.taken == self.piece.len() {
            match ready!(self.pieces.poll_recv(cx)) {
                Some(piece) => {
                    self.piece = piece?;
                    self.taken = 0;
                }
                None => return Poll::Ready(Ok(())),
            }
        }
        let count = (self.piece.len() - self.taken).min(buffer.remaining());
        buffer.put_slice(&self.piece[self.taken..self.taken + count]);
        self.taken += count;
        Poll::Ready(Ok(()))
    }
}

#[cfg(unix)]
mod unix {
    use std::{
        fs::File,
        io::{self, PipeReader, Read, Write},
        os::unix::net::UnixStream as StdStream,
        pin::Pin,
        sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel},
        task::{Context, Poll},
        thread::JoinHandle,
        time::Duration,
    };

    use rustix::{
        fd::{AsFd, OwnedFd},
        fs::{FileType, OFlags, fcntl_getfl, fcntl_setfl, fstat},
        io::fcntl_dupfd_cloexec,
    };
    use tokio::{
        io::AsyncWrite,
        net::{UnixStream, unix::pipe},
    };

    use super::{super::reactor::Reactor, Input, Output, Threaded};

    /// The flags that open files had, to be given back to them.
    #[derive(Debug, Default)]
    pub(super) struct Flags(Vec<(OwnedFd, OFlags)>);

    impl Flags {
        /// Another process may share the open files, which does not expect our flag on them.
        pub(super) fn restore(&mut self) {
            // The last first: one socket may be both, and was taken over twice.
            while let Some((descriptor, flags)) = self.0.pop() {
                let _ = fcntl_setfl(descriptor, flags);
            }
        }
    }

    /// A descriptor of our own for an open file, which no program that is started inherits.
    pub(super) fn own(descriptor: impl AsFd) -> io::Result<OwnedFd> {
        const BEHIND_THE_STANDARD_ONES: i32 = 3;
        Ok(fcntl_dupfd_cloexec(descriptor, BEHIND_THE_STANDARD_ONES)?)
    }

    pub(super) fn reader(mut descriptor: OwnedFd, restore: &mut Flags) -> io::Result<Input> {
        let Some(kind) = waits(&descriptor, restore) else {
            return Ok(Box::new(Threaded::new(File::from(descriptor))));
        };
        if let Some(reactor) = Reactor::current() {
            descriptor = match reactor.reader(descriptor) {
                Ok(watched) => return Ok(Box::new(watched)),
                Err(descriptor) => descriptor,
            };
        }
        Ok(match kind {
            FileType::Fifo => Box::new(pipe::Receiver::from_file(File::from(descriptor))?),
            _ => Box::new(UnixStream::from_std(StdStream::from(descriptor))?),
        })
    }

    pub(super) fn writer(mut descriptor: OwnedFd, restore: &mut Flags) -> io::Result<Output> {
        let Some(kind) = waits(&descriptor, restore) else {
            return Ok(Box::new(Blocking(File::from(descriptor))));
        };
        if let Some(reactor) = Reactor::current() {
            descriptor = match reactor.writer(descriptor) {
                Ok(watched) => return Ok(Box::new(watched)),
                Err(descriptor) => descriptor,
            };
        }
        Ok(match kind {
            FileType::Fifo => Box::new(pipe::Sender::from_file(File::from(descriptor))?),
            _ => Box::new(UnixStream::from_std(StdStream::from(descriptor))?),
        })
    }

    /// Makes a pipe or a socket one that is waited for, and tells which it is. `None` for files and terminals, and for what
    /// standard error is, too: whoever writes there does not expect to be told to come again.
    fn waits(descriptor: &OwnedFd, restore: &mut Flags) -> Option<FileType> {
        let status = fstat(descriptor).ok()?;
        let kind = FileType::from_raw_mode(status.st_mode);
        if !matches!(kind, FileType::Fifo | FileType::Socket) {
            return None;
        }
        let shared = fstat(io::stderr().as_fd())
            .is_ok_and(|error| (error.st_dev, error.st_ino) == (status.st_dev, status.st_ino));
        if shared {
            return None;
        }
        let flags = fcntl_getfl(descriptor).ok()?;
        let saved = own(descriptor).ok()?;
        fcntl_setfl(descriptor, flags | OFlags::NONBLOCK).ok()?;
        restore.0.push((saved, flags));
        Some(kind)
    }

    /// Turns descriptor 1 to a pipe, whose other end is to be passed on; what is received closes when all has come through.
    pub(super) fn redirect_prints() -> io::Result<(Pending, Receiver<()>)> {
        let (reader, writer) = io::pipe()?;
        rustix::stdio::dup2_stdout(&writer)?;
        let (through, closed) = channel();
        Ok((Pending { reader, through }, closed))
    }

    /// The pipe of what is printed, which nobody reads yet.
    #[derive(Debug)]
    pub(super) struct Pending {
        reader: PipeReader,
        through: Sender<()>,
    }

    impl Pending {
        /// Passes what is printed on to standard error, on a thread of its own. Lossy, so that a client which does not read
        /// standard error stops nobody who prints.
        pub(super) fn pass_on(self) {
            let Self { mut reader, through } = self;
            let read = move || {
                let mut piece = [0; 4096];
                let mut way = None;
                while let Ok(count @ 1..) = reader.read(&mut piece) {
                    // Most servers print nothing: then there is nobody to write it.
                    let (sender, _) = way.get_or_insert_with(writer_to_stderr);
                    // What finds no room is lost.
                    let _ = sender.try_send(piece[..count].to_vec());
                }
                if let Some((sender, Ok(thread))) = way {
                    drop(sender);
                    let _ = thread.join();
                }
                drop(through);
            };
            if let Err(error) = std::thread::Builder::new().name("mcp-printed".to_owned()).spawn(read) {
                // Better that who prints may have to wait than that it fails.
                let _ = rustix::stdio::dup2_stdout(io::stderr().as_fd());
                tracing::warn!(%error, "no thread for what is printed: it goes to standard error, and waits for its reader");
            }
        }
    }

    /// Lets what was printed come through, if somebody reads it.
    pub(super) fn end_of_printed(through: &Receiver<()>) {
        const PATIENCE: Duration = Duration::from_millis(200);
        // What was printed without a line's end waits in the standard library's buffer.
        let _ = io::stdout().flush();
        // With descriptor 1 turned away the pipe has no writer left, and its reader ends.
        let _ = rustix::stdio::dup2_stdout(io::stderr().as_fd());
        let _ = through.recv_timeout(PATIENCE);
    }

    /// Writes what it is sent to standard error, on a thread of its own that may have to wait for its reader.
    fn writer_to_stderr() -> (SyncSender<Vec<u8>>, io::Result<JoinHandle<()>>) {
        /// Pieces that wait for whoever reads standard error.
        const MOST_WAITING: usize = 256;
        let (sender, pieces) = sync_channel::<Vec<u8>>(MOST_WAITING);
        let write = move || {
            while let Ok(piece) = pieces.recv()
                && io::stderr().write_all(&piece).is_ok()
            {}
        };
        (sender, std::thread::Builder::new().name("mcp-stderr".to_owned()).spawn(write))
    }

    /// A file or a terminal: it is written in place, since it takes what it gets.
    struct Blocking(File);

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

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn a_socket_that_is_both_gets_its_flags_back() {
            let (socket, _peer) = StdStream::pair().unwrap();
            let (descriptor, mut flags) = (own(&socket).unwrap(), Flags::default());
            let [before, during, after] = [false, true, false].map(|is_taken| {
                if is_taken {
                    assert!(waits(&descriptor, &mut flags).is_some() && waits(&descriptor, &mut flags).is_some());
                } else {
                    flags.restore();
                }
                fcntl_getfl(&descriptor).unwrap().contains(OFlags::NONBLOCK)
            });
            assert_eq!([before, during, after], [false, true, false]);
        }
    }
}
