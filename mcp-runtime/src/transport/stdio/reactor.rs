//! A thread that waits for its own pipes: where a runtime's driver waits for them, every message has to wake a second thread.

use std::{
    array,
    cell::RefCell,
    io::{self, PipeReader, PipeWriter, Read, Write},
    pin::{Pin, pin},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError, Weak,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll, Wake, Waker},
};

use rustix::{
    event::{PollFd, PollFlags, poll},
    fd::OwnedFd,
    io::{Errno, ioctl_fionbio},
};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// Polls the future on this thread until it is done, and waits here for what [`Reactor::watch`] was given meanwhile.
///
/// # Errors
/// When the pipe that wakes the thread cannot be made.
pub(crate) fn block_on<F: Future>(future: F) -> io::Result<F::Output> {
    struct Leave(Option<Arc<Reactor>>);

    impl Drop for Leave {
        fn drop(&mut self) {
            CURRENT.set(self.0.take());
        }
    }

    let reactor = Arc::new(Reactor::new()?);
    let _leave = Leave(CURRENT.replace(Some(Arc::clone(&reactor))));
    let waker = Waker::from(Arc::clone(&reactor));
    let mut future = pin!(future);
    loop {
        // Read as well as written: what was done before the waking is seen by this poll.
        reactor.woken.swap(false, Ordering::SeqCst);
        if let Poll::Ready(output) = future.as_mut().poll(&mut Context::from_waker(&waker)) {
            return Ok(output);
        }
        reactor.wait();
    }
}

thread_local! {
    static CURRENT: RefCell<Option<Arc<Reactor>>> = const { RefCell::new(None) };
}

/// What a thread waits for: descriptors, and being woken.
pub(super) struct Reactor {
    watches: Mutex<Vec<Weak<Watch>>>,
    woken: AtomicBool,
    /// Whether a byte in the pipe is needed to wake it.
    asleep: AtomicBool,
    waking: (PipeReader, PipeWriter),
}

/// Descriptors of one reactor: standard input and output.
const MOST: usize = 2;

impl Reactor {
    /// The one of this thread, while it is in [`block_on`].
    pub(super) fn current() -> Option<Arc<Self>> {
        CURRENT.with_borrow(Clone::clone)
    }

    fn new() -> io::Result<Self> {
        let waking = io::pipe()?;
        ioctl_fionbio(&waking.0, true)?;
        ioctl_fionbio(&waking.1, true)?;
        Ok(Self { watches: Mutex::default(), woken: AtomicBool::new(false), asleep: AtomicBool::new(false), waking })
    }

    /// A pipe or a socket that does not block, to be read; given back where there are as many as there may be.
    pub(super) fn reader(self: &Arc<Self>, descriptor: OwnedFd) -> Result<Watched, OwnedFd> {
        self.watch(descriptor, PollFlags::IN)
    }

    /// A pipe or a socket that does not block, to be written; given back where there are as many as there may be.
    pub(super) fn writer(self: &Arc<Self>, descriptor: OwnedFd) -> Result<Watched, OwnedFd> {
        self.watch(descriptor, PollFlags::OUT)
    }

    fn watch(self: &Arc<Self>, descriptor: OwnedFd, events: PollFlags) -> Result<Watched, OwnedFd> {
        let mut watches = lock(&self.watches);
        watches.retain(|watch| watch.strong_count() > 0);
        if watches.len() == MOST {
            return Err(descriptor);
        }
        let state = Mutex::new(State { ready: true, waiting: None });
        let watch = Arc::new(Watch { descriptor, events, reactor: Arc::downgrade(self), state });
        watches.push(Arc::downgrade(&watch));
        Ok(Watched { watch, turns: 0 })
    }

    /// Sleeps until it is woken, or until something that somebody waits for is ready; wakes them.
    fn wait(&self) {
        self.asleep.store(true, Ordering::SeqCst);
        if !self.woken.load(Ordering::SeqCst) {
            self.sleep();
        }
        self.asleep.store(false, Ordering::SeqCst);
    }

    fn sleep(&self) {
        let (mut awaited, mut count) = ([const { None }; MOST], 0);
        for watch in lock(&self.watches).iter().filter_map(Weak::upgrade) {
            if lock(&watch.state).waiting.is_some() {
                awaited[count] = Some(watch);
                count += 1;
            }
        }
        let mut descriptors: [_; MOST + 1] = array::from_fn(|place| match awaited.get(place) {
            Some(Some(watch)) => PollFd::new(&watch.descriptor, watch.events),
            _ => PollFd::new(&self.waking.0, PollFlags::IN),
        });
        // The last that is asked for is what wakes. Interrupted by a signal is woken, too.
        let _ = poll(&mut descriptors[..=count], None);
        // Who is woken from here on needs no byte.
        self.asleep.store(false, Ordering::SeqCst);
        let is_ready = descriptors.map(|descriptor| !descriptor.revents().is_empty());
        if is_ready[count] {
            let _ = (&self.waking.0).read(&mut [0; 64]);
        }
        for watch in awaited.iter().flatten().zip(is_ready).filter_map(|(watch, is_ready)| is_ready.then_some(watch)) {
            let mut state = lock(&watch.state);
            state.ready = true;
            let waiting = state.waiting.take();
            drop(state);
            waiting.into_iter().for_each(Waker::wake);
        }
    }
}

impl Wake for Reactor {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        if !self.woken.swap(true, Ordering::SeqCst) && self.asleep.load(Ordering::SeqCst) {
            // Where it is full it wakes already.
            let _ = (&self.waking.1).write(&[0]);
        }
    }
}

/// A descriptor, and who waits for it.
struct Watch {
    descriptor: OwnedFd,
    events: PollFlags,
    reactor: Weak<Reactor>,
    state: Mutex<State>,
}

impl Watch {
    /// On another thread the reactor may sleep without having been told of the one who waits.
    fn tell_reactor(&self) {
        let is_here = |current: &Arc<Reactor>| std::ptr::eq(Arc::as_ptr(current), self.reactor.as_ptr());
        if !CURRENT.with_borrow(|current| current.as_ref().is_some_and(is_here))
            && let Some(reactor) = self.reactor.upgrade()
        {
            reactor.wake_by_ref();
        }
    }
}

struct State {
    /// Whether it may be worth while to read or to write.
    ready: bool,
    waiting: Option<Waker>,
}

/// A pipe or a socket that a reactor watches.
pub(super) struct Watched {
    watch: Arc<Watch>,
    /// How often it was ready in a row.
    turns: u32,
}

/// Whoever has read or written so often in a row lets others have a turn.
const TURNS: u32 = 128;

impl Watched {
    /// Does what reads or writes at most `size` bytes, when it can be done.
    fn poll_with(
        &mut self,
        cx: &mut Context<'_>,
        size: usize,
        mut act: impl FnMut(&OwnedFd) -> Result<usize, Errno>,
    ) -> Poll<io::Result<usize>> {
        let mut state = lock(&self.watch.state);
        self.turns += 1;
        if self.turns > TURNS {
            self.turns = 0;
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        while state.ready {
            match act(&self.watch.descriptor) {
                Ok(count) => {
                    // Less than there was room for: it has run dry.
                    state.ready = count == size || count == 0;
                    return Poll::Ready(Ok(count));
                }
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => state.ready = false,
                Err(error) => return Poll::Ready(Err(error.into())),
            }
        }
        self.turns = 0;
        match &mut state.waiting {
            Some(waker) => waker.clone_from(cx.waker()),
            None => state.waiting = Some(cx.waker().clone()),
        }
        drop(state);
        self.watch.tell_reactor();
        Poll::Pending
    }
}

impl AsyncRead for Watched {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let space = buffer.initialize_unfilled();
        let read = self.poll_with(cx, space.len(), |descriptor| rustix::io::read(descriptor, &mut *space));
        read.map_ok(|count| buffer.advance(count))
    }
}

impl AsyncWrite for Watched {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.poll_with(cx, bytes.len(), |descriptor| rustix::io::write(descriptor, bytes))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::{future::poll_fn, sync::mpsc, thread};

    use tokio::{
        io::{AsyncReadExt, AsyncWriteExt},
        sync::oneshot,
    };

    use super::*;

    fn watched() -> (Watched, Watched) {
        let (reader, writer) = io::pipe().unwrap();
        for end in [PollFlags::IN, PollFlags::OUT] {
            let descriptor: &dyn rustix::fd::AsFd = if end == PollFlags::IN { &reader } else { &writer };
            ioctl_fionbio(descriptor, true).unwrap();
        }
        let reactor = Reactor::current().expect("in `block_on`");
        (reactor.reader(reader.into()).unwrap(), reactor.writer(writer.into()).unwrap())
    }

    #[test]
    fn what_is_written_is_read() {
        let sent: Vec<u8> = (0..=u8::MAX).cycle().take(1_000_000).collect();
        let received = block_on(async {
            let (mut reader, mut writer) = watched();
            let mut received = Vec::new();
            let write = async {
                writer.write_all(&sent).await.unwrap();
                drop(writer);
            };
            tokio::join!(write, async { reader.read_to_end(&mut received).await.unwrap() });
            received
        });
        assert!(received.unwrap() == sent);
        assert!(Reactor::current().is_none());
    }

    #[test]
    fn other_threads_wake_it_and_are_woken() {
        let (sender, wakers) = mpsc::channel::<(Waker, Arc<AtomicBool>)>();
        let waking = thread::spawn(move || {
            for (waker, done) in wakers {
                done.store(true, Ordering::SeqCst);
                waker.wake();
            }
        });
        block_on(async {
            for _ in 0..10_000 {
                let (done, mut asked) = (Arc::new(AtomicBool::new(false)), false);
                poll_fn(|cx| {
                    if !std::mem::replace(&mut asked, true) {
                        sender.send((cx.waker().clone(), Arc::clone(&done))).unwrap();
                    }
                    if done.load(Ordering::SeqCst) { Poll::Ready(()) } else { Poll::Pending }
                })
                .await;
            }
        })
        .unwrap();
        drop(sender);
        waking.join().unwrap();
    }

    #[test]
    fn what_is_made_here_may_go_on_elsewhere() {
        block_on(async {
            let (mut reader, mut writer) = watched();
            let (waits, waiting) = oneshot::channel();
            let (done, result) = oneshot::channel();
            let elsewhere = thread::spawn(move || {
                let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
                runtime.block_on(async move {
                    let (mut read, mut waits) = (pin!(reader.read_u8()), Some(waits));
                    let byte = poll_fn(|cx| {
                        let polled = read.as_mut().poll(cx);
                        waits.take().into_iter().for_each(|waits| waits.send(()).unwrap());
                        polled
                    });
                    done.send(byte.await.unwrap()).unwrap();
                });
            });
            waiting.await.unwrap();
            writer.write_all(&[7]).await.unwrap();
            assert_eq!(result.await.unwrap(), 7);
            elsewhere.join().unwrap();
        })
        .unwrap();
    }

    #[test]
    fn a_flood_leaves_others_their_turn() {
        block_on(async {
            let (mut reader, mut writer) = watched();
            let flood = async {
                let mut byte = [0];
                loop {
                    writer.write_all(&byte).await.unwrap();
                    reader.read_exact(&mut byte).await.unwrap();
                }
            };
            let mut polls = 0;
            let others = poll_fn(|_| {
                polls += 1;
                if polls > 3 { Poll::Ready(()) } else { Poll::Pending }
            });
            tokio::select! {
                biased;
                () = others => {}
                () = flood => {}
            }
        })
        .unwrap();
    }
}
