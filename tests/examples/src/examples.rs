//! The examples' own tests, whose servers are held to the standard: here, so that an example needs nothing to be built but
//! what its reader's server needs.

#![allow(missing_docs, dead_code, clippy::module_inception, reason = "programs of their own")]

#[path = "../../../examples/ask.rs"]
mod ask;
#[path = "../../../examples/calculator.rs"]
mod calculator;
#[path = "../../../examples/choose_transport.rs"]
mod choose_transport;
#[path = "../../../examples/compose.rs"]
mod compose;
#[path = "../../../examples/everything.rs"]
mod everything;
#[path = "../../../examples/mount_in_axum.rs"]
mod mount_in_axum;
#[path = "../../../examples/notes.rs"]
mod notes;
#[path = "../../../examples/phrases.rs"]
mod phrases;
