//! What can be done (floor 2): the registry of functions and the one dispatcher that calls them.

mod answer;
pub(crate) mod arguments;
pub(crate) mod ask;
mod blocking;
mod bounds;
pub(crate) mod context;
mod deadline;
pub(crate) mod definition;
pub(crate) mod describe;
pub(crate) mod dispatch;
pub(crate) mod error;
pub(crate) mod form;
mod lifecycle;
mod list;
pub(crate) mod message;
pub(crate) mod mirrored;
pub(crate) mod nearest;
pub(crate) mod outcome;
mod params;
mod patterns;
mod problem;
pub(crate) mod registry;
mod round;
pub(crate) mod seal;
mod stateless;
mod template;
