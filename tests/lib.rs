//! The tests of the whole: `it` drives servers over every transport, `ui` shows the compiler wrong programs.
