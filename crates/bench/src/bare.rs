//! A server that does nothing: fixed answers on the same HTTP library in the same arrangement.
//!
//! Its answers have the same headers and bodies as the real ones, so that the difference between the two
//! servers is the database alone. It reads each request to its end and looks at the target, no more.

use std::cell::RefCell;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::header::{CONTENT_TYPE, HeaderName, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use tokio::net::{TcpListener, TcpStream};

use crate::Failure;
use crate::requests::{self, Draws};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Where to listen; port 0 takes a free one.
    #[arg(long, default_value = "127.0.0.1:0")]
    addr: SocketAddr,
    /// Items in the answer to a Query.
    #[arg(long, default_value_t = 10)]
    query_items: usize,
}

/// Serves until the process is ended.
pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    tokio::runtime::Builder::new_multi_thread().enable_all().build()?.block_on(serve(args))
}

async fn serve(args: &Args) -> Result<(), Failure> {
    let listener = TcpListener::bind(args.addr).await?;
    println!("bare server listening on {}", listener.local_addr()?);
    let answers = Arc::new(Answers {
        item: Answer::new(requests::get_answer()),
        items: Answer::new(requests::query_answer(args.query_items)),
        empty: Answer::new("{}".into()),
    });
    loop {
        let (stream, _) = listener.accept().await?;
        stream.set_nodelay(true)?;
        tokio::spawn(connection(stream, Arc::clone(&answers)));
    }
}

async fn connection(stream: TcpStream, answers: Arc<Answers>) {
    let service = service_fn(move |request| answer(Arc::clone(&answers), request));
    // A client that leaves ends its connection; there is nothing to report.
    let _ = http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
}

async fn answer(
    answers: Arc<Answers>,
    request: Request<Incoming>,
) -> Result<Response<Full<Bytes>>, Infallible> {
    let target = request.headers().get("x-amz-target");
    let is = |name: &[u8]| target.is_some_and(|target| target.as_bytes().ends_with(name));
    let answer = match () {
        () if is(b".GetItem") => &answers.item,
        () if is(b".Query") => &answers.items,
        () => &answers.empty,
    };
    // A body that breaks off has no reader left for its answer.
    let _ = request.into_body().collect().await;
    Ok(answer.response())
}

#[derive(Debug)]
struct Answers {
    item: Answer,
    items: Answer,
    empty: Answer,
}

#[derive(Debug)]
struct Answer {
    body: Bytes,
    crc32: HeaderValue,
}

impl Answer {
    fn new(body: String) -> Answer {
        let crc32 = HeaderValue::from(crc32fast::hash(body.as_bytes()));
        Answer { body: Bytes::from(body), crc32 }
    }

    fn response(&self) -> Response<Full<Bytes>> {
        let mut response = Response::new(Full::new(self.body.clone()));
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/x-amz-json-1.0"));
        headers.insert(HeaderName::from_static("x-amzn-requestid"), request_id());
        headers.insert(HeaderName::from_static("x-amz-crc32"), self.crc32.clone());
        response
    }
}

/// Fifty-two characters of the alphabet that AWS uses.
fn request_id() -> HeaderValue {
    const LETTERS: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ012345";
    thread_local!(static DRAWS: RefCell<Draws> = RefCell::new(Draws::new(u64::from(std::process::id()))));
    let mut id = [0; 52];
    DRAWS.with_borrow_mut(|draws| {
        for chunk in id.chunks_mut(12) {
            let mut bits = draws.next();
            for letter in chunk {
                *letter = LETTERS[usize::from(bits.to_le_bytes()[0] & 31)];
                bits >>= 5;
            }
        }
    });
    HeaderValue::from_bytes(&id).expect("letters and digits make a header value")
}
