//! A future that becomes a task when something wakes it, and costs none before.

use std::{
    fmt,
    future::Future,
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Wake, Waker},
};

use tokio::{runtime::Handle, task::AbortHandle};

/// Ends its future when it is dropped.
pub(crate) struct Dormant(Arc<Sleeper>);

type Work = Pin<Box<dyn Future<Output = ()> + Send>>;

struct Sleeper {
    runtime: Handle,
    state: Mutex<State>,
}

enum State {
    /// It is polled for the first time.
    Begun,
    /// It was woken meanwhile.
    Woken,
    Asleep(Work),
    Awake(AbortHandle),
    Over,
}

impl Dormant {
    /// Polls the future here, once; it goes on as a task of this runtime.
    pub(super) fn new(work: impl Future<Output = ()> + Send + 'static) -> Self {
        let sleeper = Arc::new(Sleeper { runtime: Handle::current(), state: Mutex::new(State::Begun) });
        let waker = Waker::from(Arc::clone(&sleeper));
        let mut work: Work = Box::pin(work);
        let polled = work.as_mut().poll(&mut Context::from_waker(&waker));
        let mut state = sleeper.lock();
        *state = match *state {
            _ if polled.is_ready() => State::Over,
            State::Woken => State::Awake(sleeper.runtime.spawn(work).abort_handle()),
            _ => State::Asleep(work),
        };
        drop(state);
        Self(sleeper)
    }
}

impl Drop for Dormant {
    fn drop(&mut self) {
        let state = std::mem::replace(&mut *self.0.lock(), State::Over);
        if let State::Awake(task) = state {
            task.abort();
        }
    }
}

impl Sleeper {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Wake for Sleeper {
    fn wake(self: Arc<Self>) {
        let mut state = self.lock();
        *state = match std::mem::replace(&mut *state, State::Over) {
            State::Begun => State::Woken,
            State::Asleep(work) => State::Awake(self.runtime.spawn(work).abort_handle()),
            state => state,
        };
    }
}

impl fmt::Debug for Dormant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Dormant")
    }
}

#[cfg(test)]
mod tests {
    use std::{sync::Arc, time::Duration};

    use tokio::{
        sync::{mpsc, oneshot},
        time::timeout,
    };

    use super::Dormant;

    const PATIENCE: Duration = Duration::from_secs(20);

    #[tokio::test]
    async fn it_goes_on_when_it_is_woken() {
        let (say, mut said) = mpsc::channel(4);
        let (wake, woken) = oneshot::channel();
        let work = Dormant::new(async move {
            say.send("begun").await.unwrap();
            woken.await.unwrap();
            say.send("woken").await.unwrap();
            std::future::pending().await
        });
        assert_eq!(said.try_recv(), Ok("begun"), "it is polled at once");
        wake.send(()).unwrap();
        assert_eq!(timeout(PATIENCE, said.recv()).await.unwrap(), Some("woken"));
        drop(work);
        assert_eq!(timeout(PATIENCE, said.recv()).await.unwrap(), None, "a task ends with it");
    }

    #[tokio::test]
    async fn it_goes_on_when_it_wakes_itself() {
        let (say, mut said) = mpsc::channel(1);
        let _work = Dormant::new(async move {
            let mut polls = 0;
            std::future::poll_fn(|cx| {
                polls += 1;
                cx.waker().wake_by_ref();
                if polls < 3 { std::task::Poll::Pending } else { std::task::Poll::Ready(()) }
            })
            .await;
            say.send(()).await.unwrap();
        });
        assert_eq!(timeout(PATIENCE, said.recv()).await.unwrap(), Some(()));
    }

    #[tokio::test]
    async fn what_never_woke_is_dropped_with_it() {
        let kept = Arc::new(());
        let mine = Arc::clone(&kept);
        let work = Dormant::new(async move {
            let _mine = mine;
            std::future::pending().await
        });
        assert_eq!(Arc::strong_count(&kept), 2);
        drop(work);
        assert_eq!(Arc::strong_count(&kept), 1);
    }
}
