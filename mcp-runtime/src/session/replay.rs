//! What was said on the streams of one session, kept for a while: for a client that lost its connection.

use std::{
    collections::{HashMap, VecDeque},
    fmt,
    hash::{BuildHasher, Hasher, RandomState},
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
    time::Duration,
};

use bytes::Bytes;
use tokio::time::Instant;

use super::Outbox;
use crate::{limits::Limits, protocol::jsonrpc};

/// The events of a session's streams that were said and may not have arrived.
#[derive(Debug)]
pub(crate) struct Replay {
    store: Mutex<Store>,
    max_events: usize,
    max_bytes: usize,
    time: Option<Duration>,
}

/// One stream of a session, and where its events are kept.
#[derive(Clone, Debug)]
pub(crate) struct Trail {
    replay: Arc<Replay>,
    stream: u32,
}

/// The name of an event: its stream, and its number there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct EventId {
    stream: u32,
    number: u64,
}

/// An event under its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Event {
    pub(crate) id: EventId,
    pub(crate) message: Bytes,
}

/// A stream that can be resumed.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) trail: Trail,
    pub(crate) speaker: Speaker,
}

/// Who speaks on a stream.
#[derive(Debug)]
pub(crate) enum Speaker {
    /// The session, by itself.
    Session,
    /// A call: its queue is closed where the call is over.
    Call(Arc<Outbox>),
}

#[derive(Debug)]
struct Store {
    /// Those of all streams, oldest first.
    events: VecDeque<Kept>,
    bytes: usize,
    streams: HashMap<u32, Stream>,
    /// The stream of what the session says by itself, once it has one.
    own: Option<u32>,
    next: u32,
}

#[derive(Debug)]
struct Kept {
    event: Event,
    at: Instant,
}

#[derive(Debug)]
struct Stream {
    /// The queue of the call that speaks on it; none for the session's own.
    call: Option<Weak<Outbox>>,
    /// The number of its last event.
    last: u64,
    /// The number of the last event that somebody was given.
    read: u64,
    /// How many of its events are kept.
    kept: usize,
    /// Since when nobody reads it.
    gone: Option<Instant>,
}

impl Replay {
    pub(crate) fn new(limits: &Limits) -> Arc<Self> {
        // Another session's events have other names, so that they are told from ours.
        let first = RandomState::new().build_hasher().finish();
        let store = Store {
            events: VecDeque::new(),
            bytes: 0,
            streams: HashMap::new(),
            own: None,
            next: (first & u64::from(u32::MAX)) as u32,
        };
        Arc::new(Self {
            store: Mutex::new(store),
            max_events: limits.replay_events.unwrap_or(usize::MAX),
            max_bytes: limits.replay_bytes.unwrap_or(usize::MAX),
            time: limits.replay,
        })
    }

    /// The stream of what the session says by itself: it has one, however often it is opened.
    pub(crate) fn own(self: &Arc<Self>) -> Trail {
        let mut store = self.lock();
        let stream = match store.own {
            Some(stream) => stream,
            None => store.begin(None),
        };
        store.own = Some(stream);
        Trail { replay: Arc::clone(self), stream }
    }

    /// A stream of its own for what a call says.
    pub(crate) fn begin(self: &Arc<Self>, queue: &Arc<Outbox>) -> Trail {
        let mut store = self.lock();
        store.forget_silent();
        let stream = store.begin(Some(Arc::downgrade(queue)));
        Trail { replay: Arc::clone(self), stream }
    }

    /// The stream of an event that was said in this session, unless it is forgotten.
    pub(crate) fn find(self: &Arc<Self>, id: EventId) -> Option<Found> {
        self.forget_old();
        let store = self.lock();
        let stream = store.streams.get(&id.stream)?;
        if id.number > stream.last || self.is_over(stream.gone) {
            return None;
        }
        let trail = Trail { replay: Arc::clone(self), stream: id.stream };
        let speaker = match &stream.call {
            None => Speaker::Session,
            Some(queue) => Speaker::Call(queue.upgrade().unwrap_or_else(|| Arc::new(Outbox::over(trail.clone())))),
        };
        Some(Found { trail, speaker })
    }

    /// Gives up what is too old to be asked for, and ends the streams of calls that nobody came back to.
    pub(crate) fn forget_old(&self) {
        let forgotten: Vec<_> = {
            let mut store = self.lock();
            self.forget_events(&mut store);
            // The numbers of the session's own stream go on, whoever comes back to it.
            let forgotten = store.streams.extract_if(|_, stream| stream.call.is_some() && self.is_over(stream.gone));
            forgotten.filter_map(|(_, stream)| stream.call?.upgrade()).collect()
        };
        for queue in forgotten {
            queue.close();
        }
    }

    /// Forgets all, and ends the streams of calls.
    pub(crate) fn end(&self) {
        let streams = {
            let mut store = self.lock();
            store.events = VecDeque::new();
            store.bytes = 0;
            std::mem::take(&mut store.streams)
        };
        for queue in streams.into_values().filter_map(|stream| stream.call?.upgrade()) {
            queue.close();
        }
    }

    fn forget_events(&self, store: &mut Store) {
        let is_old = |kept: &Kept| self.time.is_some_and(|time| kept.at.elapsed() >= time);
        while store.events.len() > self.max_events
            || store.bytes > self.max_bytes
            || store.events.front().is_some_and(is_old)
        {
            store.drop_oldest();
        }
    }

    fn is_over(&self, gone: Option<Instant>) -> bool {
        gone.zip(self.time).is_some_and(|(gone, time)| gone.elapsed() >= time)
    }

    fn lock(&self) -> MutexGuard<'_, Store> {
        self.store.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Trail {
    /// Keeps a message that nobody reads just now; none where the stream is forgotten.
    pub(super) fn keep(&self, message: Vec<u8>) -> Option<Event> {
        self.add(message, false)
    }

    /// Keeps a message that is handed to a reader; none where the stream is forgotten.
    pub(super) fn hand_out(&self, message: Vec<u8>) -> Option<Event> {
        self.add(message, true)
    }

    /// Whether a message is kept that was given to nobody yet.
    pub(super) fn has_unread(&self, message: &[u8]) -> bool {
        let store = self.replay.lock();
        let read = store.streams.get(&self.stream).map_or(u64::MAX, |stream| stream.read);
        let mut events = store.events.iter().map(|kept| &kept.event);
        events.any(|event| event.id.follows(self.stream, read) && event.message == message)
    }

    fn add(&self, mut message: Vec<u8>, is_read: bool) -> Option<Event> {
        let replay = &*self.replay;
        let mut store = replay.lock();
        let stream = store.streams.get_mut(&self.stream).filter(|stream| !replay.is_over(stream.gone))?;
        jsonrpc::flatten(&mut message, 0);
        stream.last += 1;
        stream.kept += 1;
        if is_read {
            stream.read = stream.last;
        }
        let id = EventId { stream: self.stream, number: stream.last };
        let event = Event { id, message: message.into_boxed_slice().into() };
        store.bytes += event.message.len();
        store.events.push_back(Kept { event: event.clone(), at: Instant::now() });
        replay.forget_events(&mut store);
        Some(event)
    }

    /// The name of an event that says nothing, so that what follows can be asked for.
    pub(crate) fn prime(&self) -> Option<EventId> {
        let mut store = self.replay.lock();
        let stream = store.streams.get_mut(&self.stream)?;
        stream.last += 1;
        Some(EventId { stream: self.stream, number: stream.last })
    }

    /// The first event behind `number` that is kept.
    pub(crate) fn first_after(&self, number: u64) -> Option<Event> {
        let mut store = self.replay.lock();
        let mut events = store.events.iter().map(|kept| &kept.event);
        let event = events.find(|event| event.id.follows(self.stream, number)).cloned()?;
        if let Some(stream) = store.streams.get_mut(&self.stream) {
            stream.read = stream.read.max(event.id.number);
        }
        Some(event)
    }

    /// Notes that somebody reads the stream who has read it up to `number`, unless more is kept.
    pub(super) fn catch_up(&self, number: u64) -> Caught {
        let mut store = self.replay.lock();
        let more = store.events.iter().any(|kept| kept.event.id.follows(self.stream, number));
        match store.streams.get_mut(&self.stream) {
            None => Caught::Forgotten,
            Some(stream) => {
                stream.read = stream.read.max(number);
                if more {
                    return Caught::Behind;
                }
                stream.gone = None;
                Caught::Up
            }
        }
    }

    /// Notes that somebody reads the stream, from here on: what was kept before is not asked for.
    pub(super) fn come(&self) {
        if let Some(stream) = self.replay.lock().streams.get_mut(&self.stream) {
            stream.gone = None;
            stream.read = stream.last;
        }
    }

    /// Notes that nobody reads the stream any more.
    pub(super) fn leave(&self) {
        if let Some(stream) = self.replay.lock().streams.get_mut(&self.stream) {
            stream.gone.get_or_insert_with(Instant::now);
        }
    }
}

/// How far a reader is that comes back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Caught {
    Up,
    Behind,
    Forgotten,
}

impl Store {
    fn begin(&mut self, call: Option<Weak<Outbox>>) -> u32 {
        let stream = self.next;
        self.next = stream.wrapping_add(1);
        self.streams.insert(stream, Stream { call, last: 0, read: 0, kept: 0, gone: None });
        stream
    }

    fn drop_oldest(&mut self) {
        let Some(Kept { event, .. }) = self.events.pop_front() else { return };
        self.bytes -= event.message.len();
        if let Some(stream) = self.streams.get_mut(&event.id.stream) {
            stream.kept -= 1;
        }
    }

    /// Forgets the streams on which nobody speaks and of which nothing is kept.
    fn forget_silent(&mut self) {
        let speaks = |call: &Option<Weak<Outbox>>| call.as_ref().is_none_or(|queue| queue.strong_count() > 0);
        self.streams.retain(|_, stream| stream.kept > 0 || speaks(&stream.call));
    }
}

impl EventId {
    /// Longer ones are nobody's.
    const MOST_BYTES: usize = 128;

    /// Reads a name as it is written, and no other way.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        if text.len() > Self::MOST_BYTES {
            return None;
        }
        let (stream, number) = text.split_once('_')?;
        let id = Self { stream: u32::from_str_radix(stream, 16).ok()?, number: number.parse().ok()? };
        (id.to_string() == text).then_some(id)
    }

    pub(crate) fn number(self) -> u64 {
        self.number
    }

    fn follows(self, stream: u32, number: u64) -> bool {
        self.stream == stream && self.number > number
    }
}

impl fmt::Display for EventId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:08x}_{}", self.stream, self.number)
    }
}

#[cfg(test)]
mod tests {
    use std::{
        sync::Arc,
        task::{Context, Poll, Waker},
        time::Duration,
    };

    use super::{EventId, Replay, Speaker};
    use crate::{
        limits::Limits,
        session::{
            Outbox, Overflow,
            outbox::{Live, Next, Ticket},
        },
    };

    /// What a reader reads until there is nothing more just now.
    fn read(queue: &Outbox, ticket: Ticket) -> (Vec<String>, Option<EventId>, Option<Next>) {
        let (mut said, mut last) = (Vec::new(), None);
        loop {
            match queue.poll_event(ticket, &mut Context::from_waker(Waker::noop())) {
                Poll::Ready(Next::Said(event)) => {
                    said.push(String::from_utf8(event.message.to_vec()).unwrap());
                    last = Some(event.id);
                }
                Poll::Ready(end) => return (said, last, Some(end)),
                Poll::Pending => return (said, last, None),
            }
        }
    }

    /// What a client reads that comes back, and how it goes on.
    fn come_back(replay: &Arc<Replay>, own: &Outbox, last: EventId) -> Option<(Vec<String>, Live)> {
        let found = replay.find(last)?;
        let queue = match &found.speaker {
            Speaker::Session => own,
            Speaker::Call(queue) => queue,
        };
        let (ticket, mut number, mut said) = (queue.take_over(), last.number(), Vec::new());
        loop {
            match queue.go_live(ticket, number) {
                Live::Behind => {
                    let event = found.trail.first_after(number).unwrap();
                    number = event.id.number();
                    said.push(String::from_utf8(event.message.to_vec()).unwrap());
                }
                live => {
                    queue.detach(ticket);
                    return Some((said, live));
                }
            }
        }
    }

    fn push(queue: &Outbox, text: &str) {
        queue.push(text.as_bytes().to_vec()).unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn what_a_session_says_waits_for_its_client_as_long_as_it_is_kept() {
        let limits = Limits::default();
        let replay = Replay::new(&limits);
        let own = Outbox::new(Overflow::Discard, &limits);
        push(&own, "to nobody");
        let ticket = own.attach(Some(replay.own())).unwrap();
        assert!(own.attach(Some(replay.own())).is_none(), "one reads at a time");
        push(&own, "a");
        let (said, last, _) = read(&own, ticket);
        let last = last.unwrap();
        assert_eq!(said, ["a"]);
        // Queued and never read, then said to nobody.
        push(&own, "b\n");
        own.detach(ticket);
        push(&own, "c");
        for _ in 0..2 {
            assert_eq!(come_back(&replay, &own, last).unwrap(), (vec!["b ".to_owned(), "c".to_owned()], Live::Now));
        }
        tokio::time::advance(Duration::from_secs(299)).await;
        push(&own, "d");
        tokio::time::advance(Duration::from_secs(1)).await;
        // Whoever is away for too long has missed too much.
        assert!(replay.find(last).is_none());
        push(&own, "e");
        replay.forget_old();
        let ticket = own.attach(Some(replay.own())).unwrap();
        push(&own, "f");
        let (said, newer, _) = read(&own, ticket);
        assert_eq!(said, ["f"]);
        assert!(newer.unwrap().number() > last.number());
        assert_eq!(newer.unwrap().stream, last.stream);
    }

    #[tokio::test(start_paused = true)]
    async fn streams_are_forgotten_in_time_and_their_memory_with_them() {
        let limits = Limits::default();
        let replay = Replay::new(&limits);
        let own = Outbox::new(Overflow::Discard, &limits);
        let mut first = None;
        for i in 0..1000 {
            let queue = Arc::new(Outbox::new(Overflow::Keep, &limits));
            push(&queue, "said");
            let ticket = queue.attach(Some(replay.begin(&queue))).unwrap();
            queue.finish(Some(vec![b'x'; 10_000]));
            let (said, last, end) = read(&queue, ticket);
            assert_eq!((said.len(), end), (2, Some(Next::Over)));
            queue.detach(ticket);
            if i == 0 {
                first = last;
                let id = EventId { number: 1, ..last.unwrap() };
                assert_eq!(come_back(&replay, &own, id).unwrap().0.len(), 1);
            }
        }
        let counts = || {
            let store = replay.lock();
            (store.streams.len(), store.events.len(), store.bytes)
        };
        let (streams, events, bytes) = counts();
        assert!(bytes <= 1024 * 1024 && events <= 256 && streams <= events + 1, "{streams} {events} {bytes}");
        assert!(replay.find(first.unwrap()).is_none());
        tokio::time::advance(Duration::from_secs(300)).await;
        replay.forget_old();
        assert_eq!(counts(), (0, 0, 0));
    }

    #[test]
    fn connections_end_when_the_handler_or_the_next_one_says_so() {
        let limits = Limits { stream_queue_messages: Some(4), ..Limits::default() };
        let replay = Replay::new(&limits);
        let check = |act: fn(&Outbox), kept: &[&str]| {
            let queue = Arc::new(Outbox::new(Overflow::Keep, &limits));
            let trail = replay.begin(&queue);
            let primed = trail.prime().unwrap();
            let ticket = queue.attach(Some(trail)).unwrap();
            push(&queue, "a");
            act(&queue);
            assert_eq!(read(&queue, ticket), (Vec::new(), None, Some(Next::HungUp)));
            let (said, live) = come_back(&replay, &queue, primed).unwrap();
            assert_eq!((said, live), (kept.iter().map(|&it| it.to_owned()).collect(), Live::Now));
        };
        check(Outbox::hang_up, &["a"]);
        check(
            |queue| {
                let _ = queue.take_over();
            },
            &["a"],
        );
        check(|queue| (0..5).for_each(|_| push(queue, "b")), &["a", "b", "b", "b", "b", "b"]);
        // Before the stream began there is nobody to send away yet.
        let queue = Arc::new(Outbox::new(Overflow::Keep, &limits));
        push(&queue, "a");
        queue.hang_up();
        assert!(queue.poll_spoken(&mut Context::from_waker(Waker::noop())).is_ready());
        let trail = replay.begin(&queue);
        let primed = trail.prime().unwrap();
        let ticket = queue.attach(Some(trail)).unwrap();
        assert_eq!(read(&queue, ticket).2, Some(Next::HungUp));
        queue.finish(Some(b"z".to_vec()));
        let again = || come_back(&replay, &queue, primed).unwrap().0;
        assert_eq!((again(), again()), (vec!["a".to_owned(), "z".to_owned()], vec!["a".to_owned(), "z".to_owned()]));
        // Where nothing is kept nobody is hung up on.
        let plain = Outbox::new(Overflow::Close, &limits);
        plain.hang_up();
        assert!(plain.poll_spoken(&mut Context::from_waker(Waker::noop())).is_pending());
    }

    #[test]
    fn what_is_announced_to_nobody_drives_nothing_else_out() {
        let limits = Limits { replay_events: Some(4), ..Limits::default() };
        let replay = Replay::new(&limits);
        let (own, queue) = (Outbox::new(Overflow::Discard, &limits), Arc::new(Outbox::new(Overflow::Keep, &limits)));
        let trail = replay.begin(&queue);
        let primed = trail.prime().unwrap();
        queue.detach(queue.attach(Some(trail)).unwrap());
        queue.finish(Some(b"answer".to_vec()));
        let announce = |times: usize, texts: &[&str]| {
            for _ in 0..times {
                texts.iter().for_each(|text| own.announce(text.as_bytes().to_vec()));
            }
        };
        let ticket = own.attach(Some(replay.own())).unwrap();
        announce(1, &["a"]);
        let (said, last, _) = read(&own, ticket);
        assert_eq!(said, ["a"]);
        own.detach(ticket);
        let check = |texts: &[&str], expected: &[&str]| {
            announce(20, texts);
            let (said, live) = come_back(&replay, &own, last.unwrap()).unwrap();
            assert_eq!((said, live), (expected.iter().map(|&it| it.to_owned()).collect(), Live::Now), "{texts:?}");
        };
        check(&["a"], &["a"]);
        // What somebody was given is news when it happens again.
        check(&["a"], &["a", "a"]);
        assert_eq!(come_back(&replay, &queue, primed).unwrap().0, ["answer"]);
        // So is what a new stream passes over.
        announce(1, &["b"]);
        let ticket = own.attach(Some(replay.own())).unwrap();
        own.detach(ticket);
        check(&["b"], &["a", "a", "b", "b"]);
    }

    #[test]
    fn a_session_that_ends_takes_its_streams_along() {
        let limits = Limits::default();
        let replay = Replay::new(&limits);
        let queue = Arc::new(Outbox::new(Overflow::Keep, &limits));
        let trail = replay.begin(&queue);
        let primed = trail.prime().unwrap();
        let ticket = queue.attach(Some(trail)).unwrap();
        replay.end();
        assert_eq!(read(&queue, ticket).2, Some(Next::Over));
        assert!(replay.find(primed).is_none());
    }

    #[test]
    fn names_are_read_as_they_are_written() {
        for (text, is_one) in [("0000002a_7", true), ("2a_7", false), ("0000002A_7", false), ("0000002a_07", false)] {
            assert_eq!(EventId::parse(text).map(|id| id.to_string()), is_one.then(|| text.to_owned()), "{text}");
        }
    }
}
