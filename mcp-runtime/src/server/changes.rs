//! Who hears of changes: sessions and subscriptions, each with what it asked for, and nobody else.

use std::{
    collections::{HashMap, HashSet},
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
};

use serde_json::{Map, Value};
use tokio::sync::oneshot;

use crate::session::{Call, Outbox, Session};

/// The key under which a notification names the subscription that it belongs to.
pub(super) const SUBSCRIPTION_ID: &str = "io.modelcontextprotocol/subscriptionId";

/// What has changed.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Change<'a> {
    Tools,
    Prompts,
    Resources,
    /// The contents of the resource of that URI.
    ResourceUpdated(&'a str),
}

/// Of what somebody wants to hear.
#[derive(Debug, Default)]
pub(super) struct Wanted {
    pub(super) tools: bool,
    pub(super) prompts: bool,
    pub(super) resources: bool,
    /// Resources whose contents are watched.
    pub(super) uris: HashSet<String>,
    /// Tasks whose status is watched; each the listener's own.
    pub(super) tasks: HashSet<String>,
}

/// Where a subscription's events go.
pub(super) enum Ear {
    /// Into the reply of its request.
    Reply(Arc<Outbox>),
    /// Among all else on the session's pipe.
    Pipe(Weak<Session>),
}

/// A subscription on its way to the bus.
pub(super) struct Listener<'a> {
    pub(super) session: &'a Arc<Session>,
    pub(super) ear: Ear,
    pub(super) wanted: Wanted,
    /// The id of its request, as JSON.
    pub(super) id: &'a str,
    pub(super) call: &'a Arc<Call>,
}

/// Why a subscription was not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Full {
    /// The session watches as many resources as may be.
    Uris(usize),
    /// The session has as many subscriptions as may be.
    Subscriptions(usize),
}

/// The bus: everybody who hears of changes.
#[derive(Default)]
pub(crate) struct Bus {
    members: Mutex<Members>,
    /// Held by whoever waits for the members: a lock alone goes to whoever is awake, which is who has just let go of it and
    /// has more to say.
    next: Mutex<()>,
    /// Held by whoever publishes, so that of all who do one at a time stands between the others and the members.
    publishing: Mutex<()>,
}

#[derive(Default)]
struct Members {
    /// By the session's address: it is nobody else's while there is a `Weak` to it.
    sessions: HashMap<usize, Member>,
    subscriptions: HashMap<u64, Subscribed>,
    last: u64,
    /// Every subscription ends as it begins.
    closed: bool,
}

struct Member {
    session: Weak<Session>,
    wanted: Wanted,
}

struct Subscribed {
    session: usize,
    ear: Ear,
    wanted: Wanted,
    id: String,
    call: Arc<Call>,
    /// Dropped, it ends the subscription in good order.
    _end: oneshot::Sender<()>,
}

impl Bus {
    /// Tells everybody who wants to hear it.
    pub(super) fn publish(&self, change: Change<'_>) {
        let plain = change.message(None);
        // Let go of behind the lock: the last to let go of a session takes it from the bus.
        let mut sessions = Vec::new();
        let turn = self.turn();
        let members = self.lock();
        for member in members.sessions.values().filter(|member| member.wanted.has(change)) {
            if let Some(session) = member.session.upgrade() {
                session.outbox.announce(plain.clone());
                sessions.push(session);
            }
        }
        // Nothing more is said to a subscription that was cancelled.
        let open = |subscribed: &&Subscribed| subscribed.wanted.has(change) && subscribed.call.is_open();
        for subscribed in members.subscriptions.values().filter(open) {
            sessions.extend(subscribed.ear.tell(change.message(Some(&subscribed.id))));
        }
        drop((members, turn));
    }

    /// Tells everybody who wants to hear of that task. What is told of it is asked for only where there is somebody, and
    /// in one step with telling it, so that nobody hears of an earlier state after a later one.
    pub(super) fn publish_task(&self, id: &str, told: impl FnOnce() -> Option<Map<String, Value>>) {
        let turn = self.turn();
        let members = self.lock();
        let listens = |subscribed: &&Subscribed| subscribed.wanted.tasks.contains(id) && subscribed.call.is_open();
        let listening: Vec<_> = members.subscriptions.values().filter(listens).collect();
        if listening.is_empty() {
            return;
        }
        let Some(params) = told() else { return };
        let params = Value::Object(params).to_string();
        // The members, to stand behind the one that names the subscription.
        let Some(params) = params.strip_prefix('{') else { return };
        let mut sessions = Vec::new();
        for subscribed in listening {
            // The id to the letter: it may be a number that no type of ours holds.
            let message = format!(
                r#"{{"jsonrpc":"2.0","method":"notifications/tasks","params":{{{},{params}}}"#,
                meta_of(&subscribed.id)
            );
            sessions.extend(subscribed.ear.tell(message.into_bytes()));
        }
        drop((members, turn));
    }

    /// Takes in a session, which hears of the lists that it was offered; one that is in already stays as it is.
    pub(super) fn join(self: &Arc<Self>, session: &Arc<Session>, wanted: Wanted) {
        session.stay_member(|| {
            let member = Member { session: Arc::downgrade(session), wanted };
            self.lock().sessions.insert(key(session), member);
            Box::new(Membership { bus: Arc::downgrade(self), key: key(session) })
        });
    }

    /// Lets a session that has joined watch a resource.
    pub(super) fn watch(&self, session: &Arc<Session>, uri: &str, most: Option<usize>) -> Result<(), Full> {
        let mut members = self.lock();
        let Some(member) = members.sessions.get_mut(&key(session)) else { return Ok(()) };
        let uris = &mut member.wanted.uris;
        match most.filter(|most| uris.len() >= *most && !uris.contains(uri)) {
            Some(most) => Err(Full::Uris(most)),
            None => {
                uris.insert(uri.to_owned());
                Ok(())
            }
        }
    }

    /// Lets a session watch a resource no more; also where it never did.
    pub(super) fn unwatch(&self, session: &Arc<Session>, uri: &str) {
        if let Some(member) = self.lock().sessions.get_mut(&key(session)) {
            member.wanted.uris.remove(uri);
            member.wanted.uris.shrink_to(2 * member.wanted.uris.len());
        }
    }

    /// Takes in a subscription and says `acknowledgement` to it, in one step: nothing that happens later is missed, and
    /// nothing is heard before the acknowledgement. The receiver tells when it is to end.
    pub(super) fn subscribe(
        self: &Arc<Self>,
        listener: Listener<'_>,
        acknowledgement: Vec<u8>,
        most_uris: Option<usize>,
        most_subscriptions: Option<usize>,
    ) -> Result<(Subscription, oneshot::Receiver<()>), Full> {
        let Listener { session, ear, wanted, id, call } = listener;
        let mut members = self.lock();
        let of_session = || members.subscriptions.values().filter(|other| other.session == key(session));
        let watched = || of_session().map(|other| other.wanted.uris.len()).sum::<usize>();
        if let Some(most) = most_uris.filter(|most| watched() + wanted.uris.len() > *most) {
            return Err(Full::Uris(most));
        }
        if let Some(most) = most_subscriptions.filter(|most| of_session().count() >= *most) {
            return Err(Full::Subscriptions(most));
        }
        let (end, ended) = oneshot::channel();
        let told = ear.tell(acknowledgement);
        members.last += 1;
        let number = members.last;
        if !members.closed {
            let (id, call) = (id.to_owned(), Arc::clone(call));
            let subscribed = Subscribed { session: key(session), ear, wanted, id, call, _end: end };
            members.subscriptions.insert(number, subscribed);
        }
        drop(members);
        drop(told);
        Ok((Subscription { bus: Arc::clone(self), number }, ended))
    }

    /// Ends the subscriptions of a session, in good order.
    pub(super) fn end_of(&self, session: &Arc<Session>) {
        self.lock().subscriptions.retain(|_, subscribed| subscribed.session != key(session));
    }

    /// Ends all subscriptions in good order, and each that still comes.
    pub(super) fn close(&self) {
        let mut members = self.lock();
        members.closed = true;
        members.subscriptions = HashMap::new();
    }

    fn lock(&self) -> MutexGuard<'_, Members> {
        let next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        let members = self.members.lock().unwrap_or_else(PoisonError::into_inner);
        drop(next);
        members
    }

    /// The turn of one who publishes, taken before the members.
    fn turn(&self) -> MutexGuard<'_, ()> {
        self.publishing.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Bus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let members = self.lock();
        f.debug_struct("Bus")
            .field("sessions", &members.sessions.len())
            .field("subscriptions", &members.subscriptions.len())
            .finish()
    }
}

impl Wanted {
    fn has(&self, change: Change<'_>) -> bool {
        match change {
            Change::Tools => self.tools,
            Change::Prompts => self.prompts,
            Change::Resources => self.resources,
            Change::ResourceUpdated(uri) => self.uris.contains(uri),
        }
    }
}

impl Change<'_> {
    /// The notification, for the subscription of that id.
    fn message(self, subscription: Option<&str>) -> Vec<u8> {
        let (what, uri) = match self {
            Self::Tools => ("tools/list_changed", None),
            Self::Prompts => ("prompts/list_changed", None),
            Self::Resources => ("resources/list_changed", None),
            Self::ResourceUpdated(uri) => ("resources/updated", Some(serde_json::Value::from(uri))),
        };
        let uri = uri.map(|uri| format!(r#""uri":{uri}"#));
        let meta = subscription.map(meta_of);
        let params: Vec<_> = meta.into_iter().chain(uri).collect();
        let params = if params.is_empty() { String::new() } else { format!(r#","params":{{{}}}"#, params.join(",")) };
        format!(r#"{{"jsonrpc":"2.0","method":"notifications/{what}"{params}}}"#).into_bytes()
    }
}

/// The member that names the subscription of that id.
fn meta_of(subscription: &str) -> String {
    format!(r#""_meta":{{"{SUBSCRIPTION_ID}":{subscription}}}"#)
}

impl Ear {
    /// Says it; gives the session back, to be let go of behind all locks.
    fn tell(&self, message: Vec<u8>) -> Option<Arc<Session>> {
        match self {
            Self::Reply(queue) => {
                queue.announce(message);
                None
            }
            Self::Pipe(session) => {
                let session = session.upgrade()?;
                session.outbox.announce(message);
                Some(session)
            }
        }
    }
}

/// A session's place on the bus, until the session is dropped.
struct Membership {
    bus: Weak<Bus>,
    key: usize,
}

impl Drop for Membership {
    fn drop(&mut self) {
        if let Some(bus) = self.bus.upgrade() {
            let mut members = bus.lock();
            members.sessions.remove(&self.key);
            shrink(&mut members.sessions);
        }
    }
}

/// A subscription's place on the bus, until this is dropped.
pub(super) struct Subscription {
    bus: Arc<Bus>,
    number: u64,
}

impl Drop for Subscription {
    fn drop(&mut self) {
        let mut members = self.bus.lock();
        members.subscriptions.remove(&self.number);
        shrink(&mut members.subscriptions);
    }
}

fn key(session: &Arc<Session>) -> usize {
    Arc::as_ptr(session) as usize
}

/// Gives memory back once most of it is not needed.
fn shrink<K: Eq + std::hash::Hash, V>(map: &mut HashMap<K, V>) {
    if map.len() * 4 < map.capacity() {
        map.shrink_to_fit();
    }
}

#[cfg(test)]
mod tests {
    use std::{
        sync::{
            Arc,
            atomic::{AtomicBool, AtomicUsize, Ordering},
        },
        thread,
    };

    use super::{Bus, Change, Ear, Listener, Wanted};
    use crate::{
        limits::Limits,
        session::{Call, Outbox, Overflow, Session},
    };

    #[test]
    fn whoever_comes_or_goes_gets_a_turn_however_much_is_said() {
        const LISTENERS: usize = 500;
        const PUBLISHERS: usize = 2;
        const TURNS: usize = 20;
        let limits = Limits::default();
        let session = Session::new(Outbox::new(Overflow::Wait, &limits), None);
        let (bus, over, said) =
            (Arc::new(Bus::default()), Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
        let call = Arc::new(Call::lasting());
        let listen = || {
            let ear = Ear::Reply(Arc::new(Outbox::new(Overflow::Wait, &limits)));
            let wanted = Wanted { resources: true, ..Wanted::default() };
            let listener = Listener { session: &session, ear, wanted, id: "1", call: &call };
            bus.subscribe(listener, Vec::new(), None, None).expect("no bounds")
        };
        let _listening: Vec<_> = (0..LISTENERS).map(|_| listen()).collect();
        let publishers: Vec<_> = (0..PUBLISHERS)
            .map(|_| {
                let (bus, over, said) = (Arc::clone(&bus), Arc::clone(&over), Arc::clone(&said));
                thread::spawn(move || {
                    while !over.load(Ordering::SeqCst) {
                        bus.publish(Change::Resources);
                        said.fetch_add(1, Ordering::SeqCst);
                    }
                })
            })
            .collect();
        let waited: usize = (0..TURNS)
            .map(|_| {
                let begun = said.load(Ordering::SeqCst);
                while said.load(Ordering::SeqCst) == begun {
                    thread::yield_now();
                }
                let before = said.load(Ordering::SeqCst);
                drop(listen());
                said.load(Ordering::SeqCst) - before
            })
            .sum();
        over.store(true, Ordering::SeqCst);
        for publisher in publishers {
            publisher.join().expect("no panic");
        }
        // A few each, and what is said while the thread does not run.
        assert!(waited < 500 * TURNS, "{waited} changes were said before {TURNS} listeners came and went");
    }
}
