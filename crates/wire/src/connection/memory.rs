//! One budget of bytes for all requests under way.

use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use hashrange_service::{Kind, Page, Source};

/// How many bytes of bodies and large answers the server holds, and how many it may.
#[derive(Debug)]
pub(crate) struct Memory {
    used: AtomicUsize,
    max: usize,
}

/// There is no room for it now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Full;

impl Memory {
    /// A budget of `max` bytes.
    pub(crate) fn new(max: usize) -> Memory {
        Memory { used: AtomicUsize::new(0), max }
    }

    /// Takes `bytes` if they are left.
    fn take(&self, bytes: usize) -> Result<(), Full> {
        let before = self.used.fetch_add(bytes, Ordering::Relaxed);
        if before.checked_add(bytes).is_none_or(|now| now > self.max) {
            self.give(bytes);
            return Err(Full);
        }
        Ok(())
    }

    fn give(&self, bytes: usize) {
        self.used.fetch_sub(bytes, Ordering::Relaxed);
    }

    /// Bytes taken now.
    pub(crate) fn used(&self) -> usize {
        self.used.load(Ordering::Relaxed)
    }
}

impl Source for Memory {
    fn tell(&self, page: &mut Page) {
        page.family(
            "hashrange_request_memory_bytes",
            Kind::Gauge,
            "Memory held by bodies and large answers.",
        )
        .sample(&[], self.used());
        page.family("hashrange_request_memory_limit_bytes", Kind::Gauge, "Memory that they may hold.")
            .sample(&[], self.max);
    }
}

/// A part of the budget, given back when dropped.
#[derive(Debug)]
pub(crate) struct Charge<M: Deref<Target = Memory>> {
    memory: M,
    bytes: usize,
}

/// A part that outlives the request, for its answer.
pub(crate) type AnswerCharge = Charge<Arc<Memory>>;

impl<M: Deref<Target = Memory>> Charge<M> {
    /// Takes `bytes` if they are left.
    pub(crate) fn take(memory: M, bytes: usize) -> Result<Charge<M>, Full> {
        memory.take(bytes)?;
        Ok(Charge { memory, bytes })
    }

    /// Takes `bytes` even if they are not left: for an answer that must be given, because its request has done
    /// something.
    pub(crate) fn force(memory: M, bytes: usize) -> Charge<M> {
        memory.used.fetch_add(bytes, Ordering::Relaxed);
        Charge { memory, bytes }
    }

    /// Takes as much more as makes `bytes` in all, if they are left; gives back where there are fewer.
    pub(crate) fn set(&mut self, bytes: usize) -> Result<(), Full> {
        if bytes > self.bytes {
            self.memory.take(bytes - self.bytes)?;
        } else {
            self.memory.give(self.bytes - bytes);
        }
        self.bytes = bytes;
        Ok(())
    }

    /// Takes `bytes` more, if they are left.
    pub(crate) fn add(&mut self, bytes: usize) -> Result<(), Full> {
        self.set(self.bytes.saturating_add(bytes))
    }
}

impl<M: Deref<Target = Memory>> Drop for Charge<M> {
    fn drop(&mut self) {
        self.memory.give(self.bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_taken_is_given_back_and_never_more_than_there_is() {
        let memory = Memory::new(100);
        let mut one = Charge::take(&memory, 60).unwrap();
        assert_eq!(Charge::take(&memory, 41).map(|_| ()), Err(Full));
        let two = Charge::take(&memory, 40).unwrap();
        assert_eq!((memory.used(), one.add(1)), (100, Err(Full)));
        assert_eq!((one.set(20), memory.used()), (Ok(()), 60));
        drop(two);
        assert_eq!((one.add(80), memory.used()), (Ok(()), 100));
        assert_eq!(one.add(usize::MAX), Err(Full));
        let forced = Charge::force(&memory, 50);
        assert_eq!(memory.used(), 150);
        drop(forced);
        drop(one);
        assert_eq!(memory.used(), 0);
    }
}
