//! The bounded queue of messages to one client, between whoever speaks and the transport that writes.

use std::{
    cell::OnceCell,
    collections::VecDeque,
    pin::Pin,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Context, Poll, Waker},
    time::Duration,
};

use tokio::{
    sync::{Notify, futures::Notified},
    time::timeout,
};

#[cfg(feature = "http")]
use super::replay::{Caught, Event, Trail};
use crate::limits::Limits;

/// What happens to a message for which the queue has no room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Overflow {
    /// Whoever speaks waits, however long: there is one reader, and it is the other end of a pipe.
    Wait,
    /// Whoever can wait does so for a while; then the queue closes: one reader among many may not hold up the rest.
    #[cfg_attr(not(feature = "http"), expect(dead_code, reason = "only a listener has many"))]
    Close,
    /// As `Close`, until the next reader comes; and while there is no reader nothing is kept.
    #[cfg(feature = "http")]
    Discard,
    /// As `Close`, until the queue has a trail: then only its reader loses his place, and what is said is kept there.
    #[cfg(feature = "http")]
    Keep,
}

/// How long whoever can wait does so for a reader who takes nothing at all. One who reads takes something at once: this is for
/// the task that writes to him to get its turn.
const A_WHILE: Duration = Duration::from_secs(1);

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
    max_messages: usize,
    max_bytes: usize,
    /// How long whoever speaks waits for a reader who takes nothing at all.
    patience: Duration,
}

/// How somebody speaks for whom there may be no room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Manner {
    /// He can wait, and leaves some of the room to those who cannot.
    Waits,
    /// As before, and has waited long enough.
    HasWaited,
    /// He cannot wait.
    InPassing,
}

#[derive(Debug, Default)]
struct Queue {
    messages: VecDeque<Vec<u8>>,
    bytes: usize,
    closed: bool,
    overflowed: bool,
    reader: Option<Waker>,
    /// Somebody reads, where that is minded.
    #[cfg(feature = "http")]
    attached: bool,
    /// The connection is to end before it has a trail to leave.
    #[cfg(feature = "http")]
    hung_up: bool,
    /// Which reader it is.
    #[cfg(feature = "http")]
    ticket: Ticket,
    /// Where what is read is kept, and what is said while nobody reads.
    #[cfg(feature = "http")]
    trail: Option<Trail>,
}

/// A reader of a queue that has one after the other: only the last may read.
#[cfg(feature = "http")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Ticket(u32);

/// What a reader finds.
#[cfg(feature = "http")]
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Next {
    Said(Event),
    /// That was all.
    Over,
    /// The stream goes on without this reader.
    HungUp,
}

/// The queue of one call's own reply: made when somebody may speak into it.
#[derive(Debug)]
pub(crate) struct Reply<'a> {
    queue: OnceCell<Arc<Outbox>>,
    overflow: Overflow,
    limits: &'a Limits,
}

#[cfg_attr(not(feature = "http"), expect(dead_code, reason = "only a listener gives calls a reply of their own"))]
impl<'a> Reply<'a> {
    pub(crate) fn new(overflow: Overflow, limits: &'a Limits) -> Self {
        Self { queue: OnceCell::new(), overflow, limits }
    }

    pub(crate) fn queue(&self) -> &Arc<Outbox> {
        self.queue.get_or_init(|| Arc::new(Outbox::new(self.overflow, self.limits)))
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
            max_messages: limits.stream_queue_messages.unwrap_or(usize::MAX),
            max_bytes: limits.stream_queue_bytes.unwrap_or(usize::MAX),
            patience: limits.stalled_write.map_or(A_WHILE, |time| time.min(A_WHILE)),
        }
    }

    /// Queues one message; where there is no room, waits for it. Behind a reader who takes nothing for a while, the queue
    /// does as it was told.
    pub(crate) async fn send(&self, message: Vec<u8>) -> Result<(), Closed> {
        self.send_when(message, || true).await
    }

    /// Queues one message, unless `admit` says no once there is room: what it decides and the message's place in the
    /// queue are one step.
    pub(crate) async fn send_when(&self, message: Vec<u8>, admit: impl Fn() -> bool) -> Result<(), Closed> {
        let (mut message, mut manner) = (message, Manner::Waits);
        loop {
            let room = self.room.notified();
            tokio::pin!(room);
            room.as_mut().enable();
            match self.push_when(message, &admit, manner) {
                Ok(()) => return Ok(()),
                Err(Refused::Closed) => return Err(Closed),
                Err(Refused::Full(back)) => message = back,
            }
            manner = self.wait_for(room).await;
        }
    }

    async fn wait_for(&self, room: Pin<&mut Notified<'_>>) -> Manner {
        if self.overflow == Overflow::Wait {
            room.await;
            return Manner::Waits;
        }
        match timeout(self.patience, room).await {
            Ok(()) => Manner::Waits,
            Err(_) => Manner::HasWaited,
        }
    }

    /// Queues one message without waiting.
    pub(crate) fn push(&self, message: Vec<u8>) -> Result<(), Refused> {
        self.push_when(message, &|| true, Manner::InPassing)
    }

    /// Queues one message where there is room, and does nothing where there is none.
    pub(crate) fn offer(&self, message: Vec<u8>) {
        drop(self.push_when(message, &|| true, Manner::Waits));
    }

    /// Queues what needs to be read once, however often it is said: where it waits already, that is enough.
    ///
    /// Nobody waits here. A queue whose speakers wait takes it beyond its bounds; of what may differ in it there is no
    /// more than the client has asked for.
    pub(crate) fn announce(&self, message: Vec<u8>) {
        let is_unread = |queue: &Queue| queue.messages.contains(&message) || queue.keeps_unread(&message);
        if is_unread(&self.lock()) {
            return;
        }
        if let Err(Refused::Full(message)) = self.push(message) {
            self.put(self.lock(), message);
        }
    }

    fn push_when(&self, message: Vec<u8>, admit: &dyn Fn() -> bool, manner: Manner) -> Result<(), Refused> {
        let mut queue = self.lock();
        if queue.closed {
            return Err(Refused::Closed);
        }
        #[cfg(feature = "http")]
        if let Some(trail) = queue.trail.as_ref().filter(|_| !queue.attached) {
            if admit() {
                drop(trail.keep(message));
            }
            return Ok(());
        }
        if self.is_unread(&queue) || queue.overflowed {
            return Ok(());
        }
        let is_for_all = self.overflow == Overflow::Wait || manner == Manner::InPassing;
        let room = |most: usize| if is_for_all { most } else { most - most / 4 };
        // A single message larger than all the room there is must pass, or it would wait for ever.
        let fits = queue.messages.len() < room(self.max_messages)
            && (queue.messages.is_empty() || queue.bytes + message.len() <= room(self.max_bytes));
        if !fits {
            if self.overflow == Overflow::Wait || manner == Manner::Waits {
                return Err(Refused::Full(message));
            }
            queue.overflowed = true;
            #[cfg(feature = "http")]
            if queue.trail.is_some() {
                self.hand_over(&mut queue);
                drop(queue);
                return self.push_when(message, admit, manner);
            }
            if self.overflow.is_final() {
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

    /// Whether nothing is taken any more.
    pub(crate) fn is_closed(&self) -> bool {
        self.lock().closed
    }

    /// Resolves once nothing is taken any more.
    pub(crate) async fn closed(&self) {
        loop {
            let room = self.room.notified();
            tokio::pin!(room);
            room.as_mut().enable();
            if self.is_closed() {
                return;
            }
            room.await;
        }
    }

    /// Whether nobody reads what is said just now, nor ever will what was said by then.
    pub(crate) fn is_deaf(&self) -> bool {
        self.is_unread(&self.lock())
    }

    /// Whether what is said goes nowhere, since nobody reads.
    #[cfg(feature = "http")]
    fn is_unread(&self, queue: &Queue) -> bool {
        self.overflow == Overflow::Discard && !queue.attached
    }

    #[cfg(not(feature = "http"))]
    fn is_unread(&self, _: &Queue) -> bool {
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

/// Readers that come and go, as those of a listener do.
#[cfg(feature = "http")]
impl Outbox {
    /// The queue of a call that is over: what it said is in the trail.
    pub(super) fn over(trail: Trail) -> Self {
        let queue = Queue { closed: true, trail: Some(trail), ..Queue::default() };
        Self {
            queue: Mutex::new(queue),
            queued: AtomicUsize::new(0),
            room: Notify::new(),
            overflow: Overflow::Keep,
            max_messages: 0,
            max_bytes: 0,
            patience: Duration::ZERO,
        }
    }

    /// Begins to read, where nobody does; none where somebody does. What is read is kept in `trail`.
    pub(crate) fn attach(&self, trail: Option<Trail>) -> Option<Ticket> {
        let mut queue = self.lock();
        if queue.attached {
            return None;
        }
        queue.attached = true;
        queue.overflowed = false;
        queue.ticket.0 = queue.ticket.0.wrapping_add(1);
        if let Some(trail) = trail {
            trail.come();
            queue.trail = Some(trail);
        }
        if std::mem::take(&mut queue.hung_up) {
            self.hand_over(&mut queue);
        }
        Some(queue.ticket)
    }

    /// Sends away whoever reads a queue that has a trail, and goes on with a reader that has to catch up first.
    pub(crate) fn take_over(&self) -> Ticket {
        let mut queue = self.lock();
        queue.ticket.0 = queue.ticket.0.wrapping_add(1);
        queue.overflowed = false;
        self.hand_over(&mut queue);
        queue.ticket
    }

    /// Lets a reader read who has caught up with the trail to that number; where more is kept he has not.
    pub(crate) fn go_live(&self, ticket: Ticket, number: u64) -> Live {
        let mut queue = self.lock();
        let Some(trail) = queue.trail.as_ref().filter(|_| queue.ticket == ticket) else { return Live::HungUp };
        match trail.catch_up(number) {
            Caught::Behind => Live::Behind,
            Caught::Forgotten => Live::Over,
            Caught::Up => {
                queue.attached = true;
                Live::Now
            }
        }
    }

    /// Reads no more.
    pub(crate) fn detach(&self, ticket: Ticket) {
        let mut queue = self.lock();
        if queue.ticket != ticket {
            return;
        }
        if queue.trail.is_some() {
            self.hand_over(&mut queue);
        } else {
            queue.attached = false;
            queue.give_up();
            self.queued.store(0, Ordering::SeqCst);
            self.room.notify_waiters();
        }
    }

    /// Ends the connection of whoever reads, where another one can go on; elsewhere nothing.
    pub(crate) fn hang_up(&self) {
        let mut queue = self.lock();
        if self.overflow != Overflow::Keep || queue.closed {
            return;
        }
        if queue.trail.is_some() {
            return self.hand_over(&mut queue);
        }
        queue.hung_up = true;
        if let Some(reader) = queue.reader.take() {
            reader.wake();
        }
    }

    /// Queues the last message, whatever room there is, and closes.
    pub(crate) fn finish(&self, answer: Option<Vec<u8>>) {
        let mut queue = self.lock();
        if queue.closed {
            return;
        }
        if let Some(answer) = answer {
            match queue.trail.as_ref().filter(|_| !queue.attached) {
                Some(trail) => drop(trail.keep(answer)),
                None => {
                    queue.bytes += answer.len();
                    queue.messages.push_back(answer);
                    self.queued.store(queue.messages.len(), Ordering::SeqCst);
                }
            }
        }
        queue.close();
        drop(queue);
        self.room.notify_waiters();
    }

    /// Resolves once the queue needs a reader: it was spoken into, or its connection is to end.
    pub(crate) fn poll_spoken(&self, cx: &mut Context<'_>) -> Poll<()> {
        let mut queue = self.lock();
        if !queue.messages.is_empty() || queue.closed || queue.hung_up {
            return Poll::Ready(());
        }
        queue.wake_later(cx);
        Poll::Pending
    }

    /// Whether something waits to be read.
    pub(crate) fn has_spoken(&self) -> bool {
        self.queued.load(Ordering::SeqCst) > 0
    }

    /// The next event of a queue that has a trail, for the reader of that ticket.
    pub(crate) fn poll_event(&self, ticket: Ticket, cx: &mut Context<'_>) -> Poll<Next> {
        let mut queue = self.lock();
        if queue.ticket != ticket || !queue.attached {
            return Poll::Ready(Next::HungUp);
        }
        let Some(message) = self.pop(&mut queue) else {
            if queue.closed {
                return Poll::Ready(Next::Over);
            }
            queue.wake_later(cx);
            return Poll::Pending;
        };
        // In one step with its place in the queue: its number is its place among all.
        let event = queue.trail.as_ref().and_then(|trail| trail.hand_out(message));
        drop(queue);
        self.room.notify_waiters();
        Poll::Ready(event.map_or(Next::Over, Next::Said))
    }

    /// Resolves when a reader that does not read has lost his place; for one that is stuck in a write.
    pub(crate) fn poll_overflow(&self, ticket: Option<Ticket>, cx: &mut Context<'_>) -> Poll<()> {
        let mut queue = self.lock();
        if queue.overflowed || ticket.is_some_and(|ticket| queue.ticket != ticket) {
            return Poll::Ready(());
        }
        queue.wake_later(cx);
        Poll::Pending
    }

    /// Sends the reader away, and keeps what he has not read.
    fn hand_over(&self, queue: &mut Queue) {
        let unread = std::mem::take(&mut queue.messages);
        queue.bytes = 0;
        self.queued.store(0, Ordering::SeqCst);
        queue.attached = false;
        if let Some(trail) = &queue.trail {
            trail.leave();
            for message in unread {
                drop(trail.keep(message));
            }
        }
        if let Some(reader) = queue.reader.take() {
            reader.wake();
        }
        self.room.notify_waiters();
    }
}

/// Whether a reader that comes back has caught up.
#[cfg(feature = "http")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Live {
    Now,
    /// More is kept than he has read.
    Behind,
    /// Another one reads.
    HungUp,
    /// The stream is forgotten.
    Over,
}

impl Overflow {
    fn is_final(self) -> bool {
        match self {
            Self::Wait | Self::Close => true,
            #[cfg(feature = "http")]
            Self::Discard => false,
            #[cfg(feature = "http")]
            Self::Keep => true,
        }
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

    /// Whether a message waits in the trail for whoever comes back.
    #[cfg(feature = "http")]
    fn keeps_unread(&self, message: &[u8]) -> bool {
        !self.attached && self.trail.as_ref().is_some_and(|trail| trail.has_unread(message))
    }

    #[cfg(not(feature = "http"))]
    fn keeps_unread(&self, _: &[u8]) -> bool {
        false
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
