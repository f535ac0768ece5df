//! Which cores run a server and its client: where neither wanders, a ratio says something of the servers.

use std::io;

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

use crate::other;

/// The cores that this program may use: the first for servers, another for itself where there is one.
pub(crate) struct Cores {
    first: usize,
    second: Option<usize>,
}

impl Cores {
    /// Those of this thread.
    pub(crate) fn new() -> io::Result<Self> {
        let set = sched_getaffinity(None)?;
        let mut cores = (0..CpuSet::MAX_CPU).filter(|core| set.is_set(*core));
        let first = cores.next().ok_or_else(|| other("no core"))?;
        Ok(Self { first, second: cores.next() })
    }

    /// Runs this thread on the servers' core, and with it whatever it starts from now on.
    pub(crate) fn together(&self) -> io::Result<()> {
        run_on(self.first)
    }

    /// Runs this thread on another core than the servers.
    pub(crate) fn apart(&self) -> io::Result<()> {
        run_on(self.second.unwrap_or(self.first))
    }
}

fn run_on(core: usize) -> io::Result<()> {
    let mut one = CpuSet::new();
    one.set(core);
    Ok(sched_setaffinity(None, &one)?)
}
