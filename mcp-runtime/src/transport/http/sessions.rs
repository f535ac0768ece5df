//! The sessions of the listener by their ids: whose they are, how many there may be, and when one ends by itself.

use std::{
    collections::{HashMap, VecDeque},
    sync::{
        Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

use tokio::time::Instant;

use super::{rejection::Rejection, streams::StreamPlace};
use crate::{
    limits::Limits,
    principal::OwnerKey,
    session::{Session, replay::Replay},
};

/// The sessions of all clients.
#[derive(Default)]
pub(crate) struct Sessions(Mutex<Table>);

#[derive(Default)]
struct Table {
    open: HashMap<SessionId, Arc<Client>>,
    /// How many of them each principal has.
    of_owner: HashMap<OwnerKey, usize>,
    /// Those that were used least recently when that was last looked up, the first to go first.
    oldest: VecDeque<(SessionId, Instant)>,
    /// Sessions of one message, whose client has gone while a call of it goes on, and whose they are.
    left: Vec<(Option<OwnerKey>, Weak<Session>)>,
    /// None is taken any more.
    closed: bool,
    /// All have ended.
    ended: bool,
}

/// 128 bits that nobody guesses.
pub(super) type SessionId = u128;

/// By which door a session's messages come; by another it does not exist.
pub(super) enum Door {
    /// HTTP+SSE: the session is its stream.
    EventStream {
        /// The stream's credential stood in the query.
        by_query: bool,
        /// The stream's place among all, which is free again as soon as the session is gone.
        _place: StreamPlace,
    },
    /// Streamable HTTP: each request names its session in a header.
    Header,
}

/// A session, and what is under way in it.
pub(super) struct Client {
    pub(super) session: Arc<Session>,
    pub(super) door: Door,
    /// What was said on its streams, where they can be resumed and there was one.
    replay: OnceLock<Arc<Replay>>,
    used: Mutex<Instant>,
    /// Something came after the handshake.
    confirmed: AtomicBool,
    /// Messages whose answers are not queued yet, and streams that are open.
    due: AtomicUsize,
    /// The stream ends with the last answer that is due.
    ending: AtomicBool,
}

impl Sessions {
    /// Takes a session in, under a new id; where there is no room, the one idle for longest goes.
    pub(super) fn add(
        &self,
        session: &Arc<Session>,
        door: Door,
        limits: &Limits,
    ) -> Result<(SessionId, Arc<Client>), Rejection> {
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes).map_err(|error| {
            tracing::error!(%error, "no random numbers for a session's id");
            Rejection::NoRandomness
        })?;
        let id = SessionId::from_ne_bytes(bytes);
        let client = Arc::new(Client {
            session: Arc::clone(session),
            door,
            replay: OnceLock::new(),
            used: Mutex::new(Instant::now()),
            confirmed: AtomicBool::new(false),
            due: AtomicUsize::new(0),
            ending: AtomicBool::new(false),
        });
        let mut table = self.lock();
        if table.closed {
            return Err(Rejection::Stopping);
        }
        if let Some(owner) = session.owner()
            && let Some(most) = limits.max_sessions_per_principal
            && table.of_owner.get(owner).is_some_and(|open| *open >= most)
            && !table.make_room(|client| client.session.owner() == Some(owner))
        {
            return Err(Rejection::TooManyOwnSessions);
        }
        if limits.max_sessions.is_some_and(|most| table.open.len() >= most) && !table.make_room_among_all() {
            return Err(Rejection::TooManySessions);
        }
        if let Some(owner) = session.owner() {
            *table.of_owner.entry(owner.clone()).or_default() += 1;
        }
        table.open.insert(id, Arc::clone(&client));
        Ok((id, client))
    }

    pub(super) fn find(&self, id: SessionId) -> Option<Arc<Client>> {
        self.lock().open.get(&id).cloned()
    }

    /// Ends the session of that id.
    pub(super) fn remove(&self, id: SessionId) {
        let removed = {
            let mut table = self.lock();
            let removed = table.remove(id);
            table.shrink();
            removed
        };
        if let Some(client) = removed {
            client.close();
        }
    }

    /// Ends the stream of HTTP+SSE that was used least recently of those that are idle, so that whoever only opens
    /// streams locks nobody out; false where all are in use, or were a moment ago.
    pub(super) fn make_room_for_stream(&self) -> bool {
        self.lock().make_room(|client| !client.is_named_by_header())
    }

    /// Keeps in mind a session of one message whose client has gone, so that its call ends with the server at the latest.
    /// False where there are as many already as there may be sessions, in all or of one principal: nobody can end them.
    pub(super) fn keep_on(&self, session: &Arc<Session>, (most, most_own): (Option<usize>, Option<usize>)) -> bool {
        let mut table = self.lock();
        table.left.retain(|(_, left)| left.strong_count() > 0);
        let owner = session.owner();
        let own = |left: &[(Option<OwnerKey>, _)]| left.iter().filter(|(of, _)| of.as_ref() == owner).count();
        let is_full = most.is_some_and(|most| table.left.len() >= most)
            || owner.is_some() && most_own.is_some_and(|most| own(&table.left) >= most);
        if table.ended || is_full {
            return false;
        }
        table.left.push((owner.cloned(), Arc::downgrade(session)));
        true
    }

    /// How many there are.
    pub(crate) fn count(&self) -> usize {
        self.lock().open.len()
    }

    /// Ends, as long as this is driven, the sessions that nobody uses any more.
    pub(super) async fn sweep(&self, limits: &Limits) {
        const OFTEN: Duration = Duration::from_millis(50);
        const SELDOM: Duration = Duration::from_secs(10);
        let times = [limits.session_idle, limits.session_unused, limits.replay];
        let Some(least) = times.into_iter().flatten().min() else {
            return std::future::pending().await;
        };
        let mut clock = tokio::time::interval((least / 4).clamp(OFTEN, SELDOM));
        clock.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            clock.tick().await;
            let ended: Vec<_> = {
                let mut table = self.lock();
                for replay in table.open.values().filter_map(|client| client.replay.get()) {
                    replay.forget_old();
                }
                let over = table.open.iter().filter(|(_, client)| client.is_over(limits)).map(|(id, _)| *id);
                let over: Vec<_> = over.collect();
                let ended = over.into_iter().filter_map(|id| table.remove(id)).collect();
                table.shrink();
                ended
            };
            for client in ended {
                client.close();
            }
        }
    }

    /// Takes no session any more, and ends each stream once nothing is due on it.
    pub(super) fn close(&self) {
        let mut table = self.lock();
        table.closed = true;
        for client in table.open.values() {
            client.ending.store(true, Ordering::SeqCst);
            client.end_if_done();
        }
    }

    /// Takes no session any more, and ends all there are.
    pub(super) fn end(&self) {
        let table = std::mem::replace(&mut *self.lock(), Table { closed: true, ended: true, ..Table::default() });
        for client in table.open.into_values() {
            client.close();
        }
        for session in table.left.iter().filter_map(|(_, session)| session.upgrade()) {
            session.close();
        }
    }

    fn lock(&self) -> MutexGuard<'_, Table> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Table {
    /// Ends the one that was used least recently of those that are idle. Looking through all costs: it is done once for
    /// many.
    fn make_room_among_all(&mut self) -> bool {
        const AT_ONCE: usize = 64;
        if self.end_known_oldest() {
            return true;
        }
        let mut idle = self.idle(|_| true);
        idle.sort_unstable_by_key(|(_, used)| *used);
        idle.truncate(AT_ONCE);
        self.oldest = idle.into();
        self.end_known_oldest()
    }

    /// Ends the first of those that were the oldest, and are: not used since, and idle.
    fn end_known_oldest(&mut self) -> bool {
        while let Some((id, used)) = self.oldest.pop_front() {
            if self.open.get(&id).is_some_and(|client| client.may_go() && client.used() == used) {
                self.end(id);
                return true;
            }
        }
        false
    }

    /// Ends, of those that `may` be, the one that was used least recently of those that are idle.
    fn make_room(&mut self, may: impl Fn(&Client) -> bool) -> bool {
        let Some((id, _)) = self.idle(may).into_iter().min_by_key(|(_, used)| *used) else { return false };
        self.end(id);
        true
    }

    fn idle(&self, may: impl Fn(&Client) -> bool) -> Vec<(SessionId, Instant)> {
        let idle = self.open.iter().filter(|(_, client)| may(client) && client.may_go());
        idle.map(|(id, client)| (*id, client.used())).collect()
    }

    fn end(&mut self, id: SessionId) {
        if let Some(client) = self.remove(id) {
            client.close();
        }
    }

    fn remove(&mut self, id: SessionId) -> Option<Arc<Client>> {
        let client = self.open.remove(&id)?;
        if let Some(owner) = client.session.owner()
            && let Some(open) = self.of_owner.get_mut(owner)
        {
            *open -= 1;
            if *open == 0 {
                self.of_owner.remove(owner);
            }
        }
        Some(client)
    }

    /// Gives memory back once most of it is not needed.
    fn shrink(&mut self) {
        if self.open.len() * 4 < self.open.capacity() {
            self.open.shrink_to_fit();
        }
        if self.of_owner.len() * 4 < self.of_owner.capacity() {
            self.of_owner.shrink_to_fit();
        }
    }
}

impl Client {
    /// When the last request ended, or the session began.
    fn used(&self) -> Instant {
        *self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn touch(&self) {
        *self.used.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }

    /// Notes that the client goes on after its handshake.
    pub(super) fn confirm(&self) {
        self.confirmed.store(true, Ordering::Relaxed);
    }

    /// What was said on its streams.
    pub(super) fn replay(&self, limits: &Limits) -> &Arc<Replay> {
        self.replay.get_or_init(|| Replay::new(limits))
    }

    fn close(&self) {
        self.session.close();
        if let Some(replay) = self.replay.get() {
            replay.end();
        }
    }

    pub(super) fn is_named_by_header(&self) -> bool {
        matches!(self.door, Door::Header)
    }

    fn is_busy(&self) -> bool {
        self.session.calls_under_way() > 0 || self.due.load(Ordering::SeqCst) > 0
    }

    /// Whether it may end to make room.
    fn may_go(&self) -> bool {
        const TIME_TO_GO_ON: Duration = Duration::from_secs(10);
        !self.is_busy() && (!self.is_waiting() || self.used().elapsed() >= TIME_TO_GO_ON)
    }

    /// Whether its client has just begun, or is at the other end of a stream that is open.
    fn is_waiting(&self) -> bool {
        !self.is_named_by_header() || !self.confirmed.load(Ordering::Relaxed)
    }

    /// Whether its time is over.
    fn is_over(&self, limits: &Limits) -> bool {
        if !self.is_named_by_header() {
            // A stream of HTTP+SSE has clocks of its own, and a listener's ends with its queue. In an application nobody
            // may look after the stream of a client that does not read.
            return self.session.outbox.is_closed();
        }
        if self.is_busy() {
            return false;
        }
        let most = if self.confirmed.load(Ordering::Relaxed) { limits.session_idle } else { limits.session_unused };
        most.is_some_and(|most| self.used().elapsed() >= most)
    }

    fn end_if_done(&self) {
        let streams = match self.door {
            Door::EventStream { .. } => self.due.load(Ordering::SeqCst) == 0,
            // The answers have streams of their own.
            Door::Header => true,
        };
        if self.ending.load(Ordering::SeqCst) && streams {
            self.session.outbox.close();
        }
    }
}

/// A message that was taken, until its answer is queued or there is none.
pub(super) struct Due(Arc<Client>);

impl Due {
    pub(super) fn new(client: &Arc<Client>) -> Self {
        client.due.fetch_add(1, Ordering::SeqCst);
        Self(Arc::clone(client))
    }

    /// Queues the answer on the session's own stream.
    pub(super) fn deliver(&self, answer: Vec<u8>) {
        // A stream that has ended takes nothing; there is nobody else to tell.
        drop(self.0.session.outbox.push(answer));
    }
}

impl Drop for Due {
    fn drop(&mut self) {
        self.0.touch();
        self.0.due.fetch_sub(1, Ordering::SeqCst);
        self.0.end_if_done();
    }
}

#[cfg(test)]
mod tests {
    use std::{sync::Arc, time::Duration};

    use super::{Client, Door, Due, SessionId, Sessions};
    use crate::{
        limits::Limits,
        session::{Outbox, Overflow, Session},
        transport::http::streams::Streams,
    };

    fn open(sessions: &Sessions, door: Door, limits: &Limits) -> Result<(SessionId, Arc<Client>), u16> {
        let session = Session::new(Outbox::new(Overflow::Close, limits), None);
        sessions.add(&session, door, limits).map_err(|rejection| rejection.status().as_u16())
    }

    #[tokio::test(start_paused = true)]
    async fn streams_that_only_wait_make_room_after_their_time() {
        let limits = Limits { max_sessions: Some(2), ..Limits::default() };
        let sessions = Sessions::default();
        let streams = Arc::new(Streams::default());
        let open = || {
            let place = streams.open(None, &limits).map_err(|rejection| rejection.status().as_u16())?;
            open(&sessions, Door::EventStream { by_query: false, _place: place }, &limits).map(|(_, client)| client)
        };
        let oldest = open().unwrap();
        tokio::time::advance(Duration::from_secs(9)).await;
        let younger = open().unwrap();
        assert_eq!(open().err().unwrap(), 503);
        tokio::time::advance(Duration::from_secs(1)).await;
        open().unwrap();
        assert!(oldest.session.outbox.push(Vec::new()).is_err());
        younger.session.outbox.push(Vec::new()).unwrap();
        assert_eq!(open().err().unwrap(), 503);
        assert_eq!(sessions.count(), 2);
    }

    #[tokio::test(start_paused = true)]
    async fn whoever_was_used_least_recently_goes_first_however_many_come() {
        let limits = Limits { max_sessions: Some(200), ..Limits::default() };
        let sessions = Sessions::default();
        let mut order = std::collections::VecDeque::new();
        for i in 0..2000 {
            tokio::time::advance(Duration::from_millis(1)).await;
            let (id, client) = open(&sessions, Door::Header, &limits).unwrap();
            client.confirm();
            order.push_back((id, client));
            // Some are used again, and wait longer for their end.
            if i % 3 == 0 {
                tokio::time::advance(Duration::from_millis(1)).await;
                let again = order.remove(order.len() / 2).unwrap();
                again.1.touch();
                order.push_back(again);
            }
            if order.len() > 200 {
                let (gone, _) = order.pop_front().unwrap();
                assert!(sessions.find(gone).is_none(), "{i}");
            }
            assert_eq!(sessions.count(), order.len(), "{i}");
        }
        assert!(order.iter().all(|(id, _)| sessions.find(*id).is_some()));
    }

    #[tokio::test(start_paused = true)]
    async fn sessions_end_when_nobody_uses_them() {
        let limits = Limits::default();
        let sessions = Arc::new(Sessions::default());
        let sweeper = {
            let (sessions, limits) = (Arc::clone(&sessions), limits.clone());
            tokio::spawn(async move { sessions.sweep(&limits).await })
        };
        let open = || open(&sessions, Door::Header, &limits).unwrap().1;
        let (_unused, used, busy) = (open(), open(), open());
        used.confirm();
        busy.confirm();
        let due = Due::new(&busy);
        let check = async |seconds: u64, left: usize| {
            tokio::time::sleep(Duration::from_secs(seconds)).await;
            assert_eq!(sessions.count(), left, "{seconds} s later");
        };
        check(50, 3).await;
        check(30, 2).await;
        check(29 * 60, 1).await;
        drop(due);
        check(29 * 60, 1).await;
        check(2 * 60, 0).await;
        sweeper.abort();
    }
}
