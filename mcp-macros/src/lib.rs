//! The four doors of the macro crate.
