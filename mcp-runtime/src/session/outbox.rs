//! The bounded queue of messages to one client, between whoever speaks and the transport that writes.

use std::{
    cell::OnceCell,
    collections::VecDeque,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    task::{Context, Poll, Waker},
};

use tokio::sync::Notify;

use crate::limits::Limits;

/// What happens to a message for which the queue has no room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Overflow {
    /// Whoever speaks waits: there is one reader, and it is the other end of a pipe.
    Wait,
    /// The queue closes: one reader among many may not hold up the rest.
    Close,
    /// As `Close`, until the next reader comes; and while there is no reader nothing is kept.
    #[cfg(feature = "http")]
    Discard,
}

/// Why a message was not taken: the reader is gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Closed;

#[derive(Debug)]
pub(crate) struct Outbox {
    queue: Mutex<Queue>,
    /// How many messages are queued, for whoever only wants to know whether there are any.
    queued: AtomicUsize,
    room: Notify,
    overflow: Overflow,
    /// Somebody reads.
    attached: AtomicBool,
    max_messages: usize,
    max_bytes: usize,
}

#[derive(Debug, Default)]
struct Queue {
    messages: VecDeque<Vec<u8>>,
    bytes: usize,
    closed: bool,
    overflowed: bool,
    reader: Option<Waker>,
}

/// The queue of one call's own reply: made when somebody may speak into it.
#[derive(Debug)]
pub(crate) struct Reply<'a> {
    queue: OnceCell<Arc<Outbox>>,
    limits: &'a Limits,
}

#[cfg_attr(not(feature = "http"), expect(dead_code, reason = "only a listener gives calls a reply of their own"))]
impl<'a> Reply<'a> {
    pub(crate) fn new(limits: &'a Limits) -> Self {
        Self { queue: OnceCell::new(), limits }
    }

    pub(crate) fn queue(&self) -> &Arc<Outbox> {
        self.queue.get_or_init(|| Arc::new(Outbox::new(Overflow::Close, self.limits)))
    }

    /// The queue, where somebody has taken it.
    pub(crate) fn taken(&self) -> Option<&Arc<Outbox>> {
        self.queue.get()
    }
}

impl Outbox {
    pub(crate) fn new(overflow: Overflow, limits: &Limits) -> Self {
        Self {
            queue: Mutex::default(),
            queued: AtomicUsize::new(0),
            room: Notify::new(),
            overflow,
            attached: AtomicBool::new(false),
            max_messages: limits.stream_queue_messages.unwrap_or(usize::MAX),
            max_bytes: limits.stream_queue_bytes.unwrap_or(usize::MAX),
        }
    }

    /// Queues one message; where there is no room, waits or closes as the queue was told.
    pub(crate) async fn send(&self, message: Vec<u8>) -> Result<(), Closed> {
        self.send_when(message, || true).await
    }

    /// Queues one message, unless `admit` says no once there is room: what it decides and the message's place in the
    /// queue are one step.
    pub(crate) async fn send_when(&self, message: Vec<u8>, admit: impl Fn() -> bool) -> Result<(), Closed> {
        let mut message = message;
        loop {
            let room = self.room.notified();
            tokio::pin!(room);
            room.as_mut().enable();
            match self.push_when(message, &admit) {
                Ok(()) => return Ok(()),
                Err(Refused::Closed) => return Err(Closed),
                Err(Refused::Full(back)) => message = back,
            }
            room.await;
        }
    }

    /// Queues one message without waiting.
    pub(crate) fn push(&self, message: Vec<u8>) -> Result<(), Refused> {
        self.push_when(message, &|| true)
    }

    /// Queues what needs to be read once, however often it is said: where it waits already, that is enough.
    ///
    /// Nobody waits here. A queue whose speakers wait takes it beyond its bounds; of what may differ in it there is no
    /// more than the client has asked for.
    pub(crate) fn announce(&self, message: Vec<u8>) {
        let unread = |queue: &Queue| queue.messages.contains(&message);
        if unread(&self.lock()) {
            return;
        }
        if let Err(Refused::Full(message)) = self.push_when(message, &|| true) {
            self.put(self.lock(), message);
        }
    }

    fn push_when(&self, message: Vec<u8>, admit: &dyn Fn() -> bool) -> Result<(), Refused> {
        let mut queue = self.lock();
        if queue.closed {
            return Err(Refused::Closed);
        }
        if self.is_unread() || queue.overflowed {
            return Ok(());
        }
        // A single message larger than all the room there is must pass, or it would wait for ever.
        let fits = queue.messages.len() < self.max_messages
            && (queue.messages.is_empty() || queue.bytes + message.len() <= self.max_bytes);
        if !fits {
            if self.overflow == Overflow::Wait {
                return Err(Refused::Full(message));
            }
            queue.overflowed = true;
            if self.overflow == Overflow::Close {
                queue.close();
            } else {
                queue.give_up();
            }
            drop(queue);
            self.room.notify_waiters();
            return Err(Refused::Closed);
        }
        if !admit() {
            return Ok(());
        }
        self.put(queue, message);
        Ok(())
    }

    fn put(&self, mut queue: MutexGuard<'_, Queue>, message: Vec<u8>) {
        queue.bytes += message.len();
        queue.messages.push_back(message);
        self.queued.store(queue.messages.len(), Ordering::SeqCst);
        if let Some(reader) = queue.reader.take() {
            drop(queue);
            reader.wake();
        }
    }

    /// The next message, in order; `None` once the queue is closed and empty.
    pub(crate) fn poll_next(&self, cx: &mut Context<'_>) -> Poll<Option<Vec<u8>>> {
        let mut queue = self.lock();
        if let Some(message) = self.pop(&mut queue) {
            drop(queue);
            self.room.notify_waiters();
            return Poll::Ready(Some(message));
        }
        if queue.closed || queue.overflowed {
            return Poll::Ready(None);
        }
        queue.wake_later(cx);
        Poll::Pending
    }

    /// Resolves when the queue closes because its reader did not read; for a reader that is stuck in a write.
    #[cfg(feature = "http")]
    pub(crate) fn poll_overflow(&self, cx: &mut Context<'_>) -> Poll<()> {
        let mut queue = self.lock();
        if queue.overflowed {
            return Poll::Ready(());
        }
        queue.wake_later(cx);
        Poll::Pending
    }

    /// The next message, as a future.
    pub(crate) async fn next(&self) -> Option<Vec<u8>> {
        std::future::poll_fn(|cx| self.poll_next(cx)).await
    }

    /// The next message that is there already.
    pub(crate) fn take(&self) -> Option<Vec<u8>> {
        if self.queued.load(Ordering::SeqCst) == 0 {
            return None;
        }
        let mut queue = self.lock();
        let message = self.pop(&mut queue)?;
        drop(queue);
        self.room.notify_waiters();
        Some(message)
    }

    /// Takes no message any more; what is queued can still be read, unless the reader was too slow.
    pub(crate) fn close(&self) {
        self.lock().close();
        self.room.notify_waiters();
    }

    /// Begins to read, where nobody does; false where somebody does.
    #[cfg(feature = "http")]
    pub(crate) fn attach(&self) -> bool {
        let mut queue = self.lock();
        let alone = !self.attached.swap(true, Ordering::SeqCst);
        if alone {
            queue.overflowed = false;
        }
        alone
    }

    /// Reads no more.
    #[cfg(feature = "http")]
    pub(crate) fn detach(&self) {
        let mut queue = self.lock();
        self.attached.store(false, Ordering::SeqCst);
        queue.give_up();
        self.queued.store(0, Ordering::SeqCst);
    }

    /// Whether what is said goes nowhere, since nobody reads.
    fn is_unread(&self) -> bool {
        #[cfg(feature = "http")]
        if self.overflow == Overflow::Discard {
            return !self.attached.load(Ordering::SeqCst);
        }
        false
    }

    fn pop(&self, queue: &mut Queue) -> Option<Vec<u8>> {
        let message = queue.messages.pop_front()?;
        queue.bytes -= message.len();
        self.queued.store(queue.messages.len(), Ordering::SeqCst);
        Some(message)
    }

    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What became of a message that was not queued.
#[derive(Debug)]
pub(crate) enum Refused {
    Closed,
    Full(Vec<u8>),
}

impl Queue {
    fn wake_later(&mut self, cx: &Context<'_>) {
        match &mut self.reader {
            Some(reader) => reader.clone_from(cx.waker()),
            reader => *reader = Some(cx.waker().clone()),
        }
    }

    fn close(&mut self) {
        self.closed = true;
        if self.overflowed {
            self.give_up();
        } else if let Some(reader) = self.reader.take() {
            reader.wake();
        }
    }

    /// Throws away what nobody has read.
    fn give_up(&mut self) {
        self.messages = VecDeque::new();
        self.bytes = 0;
        if let Some(reader) = self.reader.take() {
            reader.wake();
        }
    }
}
