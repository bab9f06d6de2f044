//! A minimal HTTP/1.1 client: one connection, one request at a time, lengths announced.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use crate::{Failure, requests};

/// How long an answer may take before the run is given up.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// Longest answer that is read: far more than a page of one megabyte as JSON.
const ANSWER_BYTES_MAX: usize = 16 << 20;

/// Where an answer begins and ends in a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Extent {
    pub(crate) status: u16,
    pub(crate) head_bytes: usize,
    /// Head and body.
    pub(crate) total_bytes: usize,
}

/// The extent of the first answer in `bytes`, or `None` while its head is incomplete.
pub(crate) fn extent_of(bytes: &[u8]) -> Result<Option<Extent>, Failure> {
    let mut headers = [httparse::EMPTY_HEADER; 32];
    let mut answer = httparse::Response::new(&mut headers);
    let httparse::Status::Complete(head_bytes) = answer.parse(bytes)? else { return Ok(None) };
    let length = answer.headers.iter().find(|header| header.name.eq_ignore_ascii_case("content-length"));
    let length =
        length.and_then(|header| std::str::from_utf8(header.value).ok()?.trim().parse::<usize>().ok());
    let length = length.ok_or("an answer without Content-Length")?;
    let status = answer.code.ok_or("an answer without a status")?;
    Ok(Some(Extent { status, head_bytes, total_bytes: head_bytes + length }))
}

/// A connection that is kept alive and reads whole answers.
#[derive(Debug)]
pub(crate) struct Connection {
    stream: TcpStream,
    received: Vec<u8>,
    filled: usize,
}

impl Connection {
    pub(crate) fn open(addr: SocketAddr) -> Result<Connection, Failure> {
        let stream = TcpStream::connect_timeout(&addr, PATIENCE)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        Ok(Connection { stream, received: vec![0; 64 << 10], filled: 0 })
    }

    pub(crate) fn stream(&self) -> &TcpStream {
        &self.stream
    }

    /// Sends one request. Only one is ever on its way, so the kernel always has room for it.
    pub(crate) fn send(&mut self, request: &[u8]) -> Result<(), Failure> {
        Ok(self.stream.write_all(request)?)
    }

    /// Reads once; the extent of the answer as soon as it is whole.
    pub(crate) fn receive(&mut self) -> Result<Option<Extent>, Failure> {
        if self.filled == self.received.len() {
            if self.filled >= ANSWER_BYTES_MAX {
                return Err("an answer of more than 16 MB".into());
            }
            self.received.resize(self.filled * 2, 0);
        }
        let read = self.stream.read(&mut self.received[self.filled..])?;
        if read == 0 {
            return Err("the server closed the connection".into());
        }
        self.filled += read;
        let extent = extent_of(&self.received[..self.filled])?;
        Ok(extent.filter(|extent| extent.total_bytes <= self.filled))
    }

    /// The body of the answer that [`Connection::receive`] found; makes room for the next answer.
    pub(crate) fn take(&mut self, extent: Extent) -> &[u8] {
        self.filled = 0;
        &self.received[extent.head_bytes..extent.total_bytes]
    }

    /// One whole exchange.
    fn exchange(&mut self, request: &[u8]) -> Result<(u16, String), Failure> {
        self.send(request)?;
        loop {
            if let Some(extent) = self.receive()? {
                return Ok((extent.status, String::from_utf8_lossy(self.take(extent)).into_owned()));
            }
        }
    }

    /// Calls an operation and gives its body; an answer other than 200 is a failure that quotes it.
    pub(crate) fn call(&mut self, operation: &str, body: &str) -> Result<String, Failure> {
        let (status, body) = self.exchange(requests::request(operation, body).as_bytes())?;
        match status {
            200 => Ok(body),
            _ => Err(format!("{operation} was answered {status}: {body}").into()),
        }
    }

    /// Whether the health path answers 200.
    pub(crate) fn healthy(&mut self) -> Result<bool, Failure> {
        Ok(self.exchange(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")?.0 == 200)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_ends_where_its_length_says() {
        let bytes = b"HTTP/1.1 400 Bad Request\r\ncontent-length: 2\r\n\r\n{}HTTP/1.1";
        let extent = extent_of(bytes).unwrap().unwrap();
        assert_eq!(extent, Extent { status: 400, head_bytes: 47, total_bytes: 49 });
        assert_eq!(extent_of(&bytes[..20]).unwrap(), None);
        assert!(extent_of(b"HTTP/1.1 200 OK\r\n\r\n").is_err());
    }
}
