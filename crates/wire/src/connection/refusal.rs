//! Connections that are told why they are closed.

use std::sync::Arc;
use std::time::Duration;

use hashrange_api::{Error, ErrorCode, message};
use hashrange_env::Env;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::Semaphore;

use crate::codec;

/// How many connections are told at the same time; more are closed without a word.
const TOLD_MAX: usize = 64;

/// How long a refused client may take to read why.
const PATIENCE: Duration = Duration::from_secs(1);

/// Why a connection is not served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// There are as many as there may be.
    TooMany,
    /// It speaks plain HTTP where TLS is expected.
    NotTls,
}

impl Refusal {
    /// The whole answer.
    fn text(self) -> Vec<u8> {
        let (status, error) = match self {
            Refusal::TooMany => (
                "503 Service Unavailable",
                Error::new(ErrorCode::ServiceUnavailable, message::edge::too_many_connections()),
            ),
            Refusal::NotTls => ("400 Bad Request", Error::validation(message::edge::not_tls())),
        };
        let body = codec::encode_error(&error);
        let crc = crc32fast::hash(&body);
        let mut answer = format!(
            "HTTP/1.1 {status}\r\nServer: Server\r\nContent-Type: application/x-amz-json-1.0\r\nConnection: close\r\n\
             x-amz-crc32: {crc}\r\nContent-Length: {}\r\n\r\n",
            body.len()
        )
        .into_bytes();
        answer.extend(body);
        answer
    }
}

/// Tells clients why they are refused, a few at a time.
#[derive(Clone, Debug)]
pub(crate) struct Refusals {
    env: Env,
    slots: Arc<Semaphore>,
}

impl Refusals {
    pub(crate) fn new(env: Env) -> Refusals {
        Refusals { env, slots: Arc::new(Semaphore::new(TOLD_MAX)) }
    }

    /// Answers and closes, in a task of its own.
    pub(crate) fn spawn(&self, stream: TcpStream, refusal: Refusal) {
        let Ok(slot) = Arc::clone(&self.slots).try_acquire_owned() else { return };
        let tasks = Arc::clone(&self.env.tasks);
        let task = async move {
            tokio::select! {
                () = tell(stream, refusal) => {}
                () = tasks.sleep(PATIENCE) => {}
            }
            drop(slot);
        };
        self.env.tasks.spawn("refusal", Box::pin(task));
    }
}

/// Sends the answer, then reads on to the end: a socket that is closed over unread bytes would reset the connection, and
/// the client would see that in place of the answer.
async fn tell(mut stream: TcpStream, refusal: Refusal) {
    let mut unread = [0; 1024];
    let told = async {
        stream.write_all(&refusal.text()).await?;
        stream.shutdown().await?;
        while stream.read(&mut unread).await? > 0 {}
        Ok::<(), std::io::Error>(())
    };
    if let Err(error) = told.await {
        tracing::debug!(%error, "a refused client did not read why");
    }
}
