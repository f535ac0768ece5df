//! The listener's connections without its port, for measuring them and for feeding them any bytes.

use std::{fmt, future::Future, net::SocketAddr, sync::Arc};

use tokio::io::{AsyncRead, AsyncWrite};

use super::{HttpOptions, connection, doors::Doors, stop::Stop};
use crate::server::{dispatch::Dispatcher, error::Error};

/// What a listener does with a connection that was accepted.
pub struct HttpDoor {
    doors: Arc<Doors>,
    stop: Arc<Stop>,
}

impl HttpDoor {
    /// As a listener at that address would have it.
    pub(crate) async fn new(
        dispatcher: Arc<Dispatcher>,
        address: SocketAddr,
        options: &HttpOptions,
    ) -> Result<Self, Error> {
        let stop = Arc::default();
        let doors = super::doors(dispatcher, Some(address), options, &Arc::default(), &stop).await?;
        Ok(Self { doors, stop })
    }

    /// Serves one connection until it ends, as it does with the client's half of it. It wants a runtime with a clock.
    pub fn serve<S: AsyncRead + AsyncWrite + Unpin>(&self, stream: S) -> impl Future<Output = ()> + use<S> {
        connection::serve(stream, |_| {}, Arc::clone(&self.doors), Arc::clone(&self.stop), None, ())
    }
}

impl fmt::Debug for HttpDoor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HttpDoor")
    }
}
