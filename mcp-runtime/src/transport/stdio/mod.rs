//! One JSON message a line, over a pair of byte streams: standard input and output, or any other.
//!
//! One task reads, dispatches and writes, so that lines never mix and a client that does not read stops the reading.
//! Answers are written when the input has run dry, many in one write.

mod descriptor;
mod lines;
#[cfg(unix)]
mod reactor;

use std::{
    io,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
    time::{Duration, Instant},
};

use descriptor::{Input, Output, Prints, Redirected, Streams, standard_streams};
use lines::{Line, Lines};
#[cfg(unix)]
pub(crate) use reactor::block_on;
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    task::JoinSet,
};

use crate::{
    protocol::{ErrorCode, RpcError, jsonrpc::write_error},
    server::dispatch::{Caller, Dispatcher, Received},
    session::{HeldCall, Outbox, Overflow, Session},
};

/// How long calls in flight get once the client has closed its end.
const END_OF_INPUT_GRACE: Duration = Duration::from_secs(5);

/// Bytes waiting to be written beyond which nothing more is read.
const HIGH_WATER: usize = 256 * 1024;

/// How long answers are gathered while functions run in place.
const SHORT: Duration = Duration::from_millis(1);

/// Bytes that one read may take at first; most clients never send so much at once.
const FIRST_READS: usize = 4 * 1024;

/// Bytes that one read may take once a client has sent more.
const READ_SIZE: usize = 16 * 1024;

/// Standard input and output, taken over for the protocol.
pub(crate) struct Standard {
    pipe: Pipe<Input, Output>,
    prints: Prints,
    redirected: Redirected,
}

impl Standard {
    /// Takes them over, for good.
    pub(crate) fn open(dispatcher: Arc<Dispatcher>) -> io::Result<Self> {
        let Streams { input, output, prints, redirected } = standard_streams()?;
        Ok(Self { pipe: Pipe::new(dispatcher, input, output), prints, redirected })
    }

    /// Answers the handshake, if the client has sent it by now. It is what a client waits for first, no function has a part
    /// in it, and it needs no runtime: all that is not done yet can wait for it. What fails here is told by
    /// [`Standard::serve`].
    pub(crate) fn greet(&mut self, cx: &mut Context<'_>) {
        self.pipe.greet(cx);
    }

    /// As [`serve`].
    pub(crate) async fn serve(self, stop: impl Future<Output = ()>) -> io::Result<()> {
        let Self { pipe, mut prints, redirected } = self;
        prints.pass_on();
        let result = pipe.serve(stop).await;
        drop(redirected);
        result
    }
}

/// Serves one client until its input ends, its output closes, or `stop` resolves.
///
/// What was read is answered; calls in flight get a few seconds, then they are cancelled.
pub(crate) async fn serve<R, W>(
    dispatcher: Arc<Dispatcher>,
    reader: R,
    writer: W,
    stop: impl Future<Output = ()>,
) -> io::Result<()>
where
    R: AsyncRead + Unpin,
    W: AsyncWrite + Unpin,
{
    Pipe::new(dispatcher, reader, writer).serve(stop).await
}

/// What became of one message.
enum Handled {
    Done,
    /// It is a call of this id, and has to wait until another has ended.
    Busy(String),
}

struct Pipe<R, W> {
    dispatcher: Arc<Dispatcher>,
    session: Arc<Session>,
    reader: R,
    writer: W,
    lines: Lines,
    /// Bytes that the next read may take.
    read_size: usize,
    output: Vec<u8>,
    /// How much of `output` is written.
    written: usize,
    ended: bool,
    /// What was answered goes out before more is dispatched.
    hurry: bool,
    calls: JoinSet<()>,
    /// What went wrong before it was served.
    failed: Option<io::Error>,
}

impl<R: AsyncRead + Unpin, W: AsyncWrite + Unpin> Pipe<R, W> {
    fn new(dispatcher: Arc<Dispatcher>, reader: R, writer: W) -> Self {
        let session = Session::new(Outbox::new(Overflow::Wait, dispatcher.limits()), None);
        Self {
            lines: Lines::new(dispatcher.limits().max_line_bytes.unwrap_or(usize::MAX)),
            dispatcher,
            session,
            reader,
            writer,
            read_size: FIRST_READS,
            output: Vec::new(),
            written: 0,
            ended: false,
            hurry: false,
            calls: JoinSet::new(),
            failed: None,
        }
    }

    async fn serve(mut self, stop: impl Future<Output = ()>) -> io::Result<()> {
        let grace = tokio::select! {
            result = self.run() => {
                if !self.hears_us(result)? {
                    return Ok(());
                }
                END_OF_INPUT_GRACE
            }
            () = stop => self.dispatcher.limits().shutdown_grace.unwrap_or(Duration::MAX),
        };
        self.dispatcher.end_subscriptions(&self.session);
        let drained = tokio::time::timeout(grace, self.drain()).await;
        if let Ok(result) = drained {
            self.hears_us(result)?;
            return Ok(());
        }
        // Those that heed it end by themselves; the others are dropped with the set.
        self.session.cancel_all();
        let result = tokio::time::timeout(Duration::from_secs(1), self.drain()).await.unwrap_or(Ok(()));
        self.hears_us(result)?;
        Ok(())
    }

    /// Reads once, and answers what begins the input as long as it is a handshake.
    fn greet(&mut self, cx: &mut Context<'_>) {
        let mut greet = || {
            self.read(cx)?;
            while self.lines.first().is_some_and(|line| self.dispatcher.is_handshake(line)) {
                self.dispatch_line();
            }
            self.write(cx)
        };
        self.failed = greet().err();
    }

    /// Reads, dispatches and writes until the input ends; what it held is dispatched then.
    async fn run(&mut self) -> io::Result<()> {
        if let Some(error) = self.failed.take() {
            return Err(error);
        }
        std::future::poll_fn(|cx| {
            loop {
                // Only where none of them got anywhere is everybody told to wake this task.
                let active = self.take_messages(cx) | self.dispatch() | self.read(cx)?;
                if self.ended && self.lines.is_empty() {
                    return Poll::Ready(Ok(()));
                }
                // More input at hand means more answers soon: they go out together.
                let hurry = std::mem::take(&mut self.hurry);
                if active && !hurry && !self.is_full() {
                    continue;
                }
                let had_output = self.has_output();
                let written = self.write(cx)?.is_ready() && had_output;
                if !active && !written {
                    return Poll::Pending;
                }
            }
        })
        .await
    }

    /// Waits for the calls in flight, and writes all that there is to write.
    async fn drain(&mut self) -> io::Result<()> {
        // Nothing is read any more, the client's answers included.
        self.session.hear_no_more();
        std::future::poll_fn(|cx| {
            loop {
                let active = self.take_messages(cx) | self.dispatch();
                let had_output = self.has_output();
                let written = self.write(cx)?;
                // What was written made room for what is not taken or dispatched yet.
                if active || (written.is_ready() && had_output) {
                    continue;
                }
                if !self.calls.is_empty() || !self.session.held.is_empty() || !written.is_ready() {
                    return Poll::Pending;
                }
                ready!(Pin::new(&mut self.writer).poll_flush(cx))?;
                return Poll::Ready(Ok(()));
            }
        })
        .await
    }

    /// Whether the other end still reads; an error of any other kind is passed on.
    fn hears_us(&self, result: io::Result<()>) -> io::Result<bool> {
        match result {
            Ok(()) => Ok(true),
            Err(error) if matches!(error.kind(), io::ErrorKind::BrokenPipe | io::ErrorKind::ConnectionReset) => {
                self.session.close();
                Ok(false)
            }
            Err(error) => Err(error),
        }
    }

    /// Takes over what handlers have to say, as far as there is room.
    fn take_messages(&mut self, cx: &mut Context<'_>) -> bool {
        let mut taken = false;
        while self.calls.poll_join_next(cx).map(|call| call.is_some()) == Poll::Ready(true) {
            taken = true;
        }
        // Calls that were held back are no reason to wait: they do so for those who speak here.
        while !self.is_backed_up()
            && let Poll::Ready(Some(message)) = self.session.outbox.poll_next(cx)
        {
            self.append(&message);
            taken = true;
        }
        taken
    }

    /// Dispatches the calls that were held back, then the whole lines that were read.
    fn dispatch(&mut self) -> bool {
        let mut dispatched = false;
        while !self.is_backed_up()
            && let Some(call) = self.session.held.pop()
        {
            if let Handled::Busy(_) = self.handle(&call.message, true) {
                self.session.held.put_back(call);
                break;
            }
            dispatched = true;
        }
        let begun = Instant::now();
        while !self.is_full() {
            // Answers do not wait for a function that takes its time.
            if dispatched && self.has_output() && begun.elapsed() >= SHORT {
                self.hurry = true;
                break;
            }
            if !self.dispatch_line() {
                break;
            }
            dispatched = true;
        }
        dispatched
    }

    /// Dispatches the next whole line; none is left where that is false.
    fn dispatch_line(&mut self) -> bool {
        // Taken out, since what a line becomes needs all the rest.
        let mut lines = std::mem::take(&mut self.lines);
        let line = lines.next(self.ended);
        let more = line.is_some();
        match line {
            Some(Line::Whole(message)) => {
                let may_wait = !self.session.held.is_full();
                if let Handled::Busy(id) = self.handle(message, may_wait) {
                    self.session.held.push(HeldCall { id, message: message.to_vec() });
                }
            }
            Some(Line::TooLong) => {
                let message = format!("the line is longer than {} bytes", lines.limit());
                let error = RpcError::new(ErrorCode::ParseError, message);
                write_error(&mut self.output, None, &error, self.session.version());
                self.output.push(b'\n');
            }
            None => {}
        }
        self.lines = lines;
        more
    }

    /// Dispatches one message, and queues what is answered at once; a call that has no place and may not wait is refused.
    fn handle(&mut self, message: &[u8], may_wait: bool) -> Handled {
        let before = self.output.len();
        match self.dispatcher.receive(Caller::unknown(&self.session), message, &mut self.output) {
            Received::Answered | Received::Refused(_) | Received::Forbidden(_) => {}
            Received::Accepted => return Handled::Done,
            Received::Busy(_) if !may_wait => {}
            Received::Busy(id) => {
                self.output.truncate(before);
                return Handled::Busy(id);
            }
            Received::Pending(pending) => {
                let session = Arc::clone(&self.session);
                self.calls.spawn(async move {
                    if let Some(outcome) = pending.await {
                        // Closed means that nobody reads the answer any more.
                        let _ = session.outbox.send(outcome.answer).await;
                    }
                });
                return Handled::Done;
            }
        }
        // What the handler said before it was done goes out before its answer.
        if let Some(message) = self.session.outbox.take() {
            let answer = self.output.split_off(before);
            self.append(&message);
            while let Some(message) = self.session.outbox.take() {
                self.append(&message);
            }
            self.append(&answer);
        } else {
            self.output.push(b'\n');
        }
        Handled::Done
    }

    fn read(&mut self, cx: &mut Context<'_>) -> io::Result<bool> {
        if self.ended || self.is_full() || self.lines.has_line() {
            return Ok(false);
        }
        let space = self.lines.space(self.read_size);
        let mut buffer = ReadBuf::new(space);
        match Pin::new(&mut self.reader).poll_read(cx, &mut buffer) {
            Poll::Ready(Ok(())) => {
                let count = buffer.filled().len();
                if buffer.remaining() == 0 {
                    self.read_size = READ_SIZE;
                }
                self.lines.filled(count);
                self.ended = count == 0;
                Ok(true)
            }
            Poll::Ready(Err(error)) if error.kind() == io::ErrorKind::ConnectionReset => {
                self.lines.filled(0);
                self.ended = true;
                Ok(true)
            }
            Poll::Ready(Err(error)) => Err(error),
            Poll::Pending => {
                self.lines.filled(0);
                Ok(false)
            }
        }
    }

    /// Writes what there is; ready once nothing is left.
    fn write(&mut self, cx: &mut Context<'_>) -> io::Result<Poll<()>> {
        while self.has_output() {
            match Pin::new(&mut self.writer).poll_write(cx, &self.output[self.written..]) {
                Poll::Ready(Ok(0)) => return Err(io::ErrorKind::BrokenPipe.into()),
                Poll::Ready(Ok(count)) => self.written += count,
                Poll::Ready(Err(error)) => return Err(error),
                Poll::Pending => return Ok(Poll::Pending),
            }
        }
        self.output.clear();
        self.written = 0;
        // One large answer is no reason to keep its memory.
        self.output.shrink_to(READ_SIZE);
        if Pin::new(&mut self.writer).poll_flush(cx)?.is_pending() {
            return Ok(Poll::Pending);
        }
        Ok(Poll::Ready(()))
    }

    fn append(&mut self, message: &[u8]) {
        self.output.extend_from_slice(message);
        self.output.push(b'\n');
    }

    /// Whether the client is so slow to read, or asks for so much at once, that nothing more is read from it. While a call
    /// waits for its answer that would be for ever: then what is too much is refused.
    fn is_full(&self) -> bool {
        self.is_backed_up() || (self.session.held.is_full() && !self.session.is_asking())
    }

    fn is_backed_up(&self) -> bool {
        self.output.len() - self.written >= HIGH_WATER
    }

    fn has_output(&self) -> bool {
        self.written < self.output.len()
    }
}

impl<R, W> Drop for Pipe<R, W> {
    fn drop(&mut self) {
        self.session.close();
    }
}

#[cfg(test)]
mod tests {
    use std::{
        pin::{Pin, pin},
        task::{Context, Poll, Waker},
    };

    use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt, ReadBuf, duplex};

    use super::Pipe;
    use crate::{McpServer, ServerOptions};

    #[test]
    fn a_handshake_is_answered_without_a_runtime_and_nothing_else_is() {
        const INITIALIZE: &str = concat!(
            r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","#,
            r#""capabilities":{},"clientInfo":{"name":"test","version":"1"}}}"#,
            "\n"
        );
        const PING: &str = "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}\n";
        let check = |input: &str, answered: usize| {
            let (client, server) = duplex(4096);
            let (reader, writer) = tokio::io::split(server);
            let (mut client_reader, mut client_writer) = tokio::io::split(client);
            let dispatcher = McpServer::new(ServerOptions::default()).dispatcher().unwrap();
            let mut pipe = Pipe::new(dispatcher, reader, writer);
            let cx = &mut Context::from_waker(Waker::noop());
            let sent = pin!(client_writer.write_all(input.as_bytes())).poll(cx);
            assert!(matches!(sent, Poll::Ready(Ok(()))));
            pipe.greet(cx);
            let mut answer = vec![0; 4096];
            let mut answer = ReadBuf::new(&mut answer);
            let _ = Pin::new(&mut client_reader).poll_read(cx, &mut answer);
            let said = String::from_utf8_lossy(answer.filled()).into_owned();
            assert_eq!(said.lines().count(), answered, "{input}: {said}");
            assert!(pipe.failed.is_none());
        };
        check(INITIALIZE, 1);
        check(&format!("{INITIALIZE}{PING}"), 1);
        check(&format!("{INITIALIZE}{PING}{INITIALIZE}"), 1);
        check(&format!("{PING}{INITIALIZE}"), 0);
        check(&INITIALIZE[..INITIALIZE.len() / 2], 0);
        check("", 0);
    }

    #[tokio::test]
    async fn a_line_that_was_read_in_a_hurry_is_answered() {
        let (mut client, server) = duplex(1024);
        let (reader, writer) = tokio::io::split(server);
        let dispatcher = McpServer::new(ServerOptions::default()).dispatcher().unwrap();
        let mut pipe = Pipe::new(dispatcher, reader, writer);
        pipe.hurry = true;
        client.write_all(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n").await.unwrap();
        let serving = tokio::spawn(async move { pipe.run().await });
        let mut answer = [0; 36];
        client.read_exact(&mut answer).await.unwrap();
        assert_eq!(String::from_utf8_lossy(&answer), "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}");
        drop(client);
        serving.await.unwrap().unwrap();
    }
}
