//! A session within the process: messages in, messages out, no bytes on any wire.

use std::sync::Arc;

use crate::{
    server::dispatch::{Caller, Dispatcher, Received},
    session::{Outbox, Overflow, Session},
};

/// One client's connection to a server in the same process.
#[derive(Debug)]
pub(crate) struct Memory {
    dispatcher: Arc<Dispatcher>,
    session: Arc<Session>,
}

impl Memory {
    pub(crate) fn new(dispatcher: Arc<Dispatcher>) -> Self {
        let session = Session::new(Outbox::new(Overflow::Wait, dispatcher.limits()), None);
        Self { dispatcher, session }
    }

    /// Another session of the same server.
    pub(crate) fn another(&self) -> Self {
        Self::new(Arc::clone(&self.dispatcher))
    }

    /// Gives the server one message; what it answers comes out of [`Memory::receive`], in its own time.
    pub(crate) async fn send(&self, message: &[u8]) {
        let mut answer = Vec::new();
        match self.dispatcher.receive(Caller::unknown(&self.session), message, &mut answer) {
            Received::Answered | Received::Refused(_) | Received::Busy(_) | Received::Forbidden(_) => {
                // Closed means that nobody reads the answer any more.
                let _ = self.session.outbox.send(answer).await;
            }
            Received::Accepted => {}
            Received::Pending(pending) => {
                let session = Arc::clone(&self.session);
                tokio::spawn(async move {
                    if let Some(outcome) = pending.await {
                        let _ = session.outbox.send(outcome.answer).await;
                    }
                });
            }
        }
    }

    /// Gives the server one message; whether its answer was there at once.
    pub(crate) fn answer(&self, message: &[u8], out: &mut Vec<u8>) -> bool {
        let received = self.dispatcher.receive(Caller::unknown(&self.session), message, out);
        matches!(received, Received::Answered | Received::Refused(_) | Received::Busy(_) | Received::Forbidden(_))
    }

    /// The server's next message; `None` once the connection is closed.
    pub(crate) async fn receive(&self) -> Option<Vec<u8>> {
        self.session.outbox.next().await
    }

    pub(crate) fn close(&self) {
        self.session.close();
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        self.close();
    }
}
