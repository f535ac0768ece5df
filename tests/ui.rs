//! Programs that the macros must take, and programs with one mistake each, whose whole error text stands beside them.
//!
//! `TRYBUILD=overwrite` writes the texts anew; read them before you commit them.

#[test]
fn right_programs_run() {
    trybuild::TestCases::new().pass("ui/*/pass/*.rs");
}

#[test]
fn every_mistake_is_told_once_at_its_place() {
    trybuild::TestCases::new().compile_fail("ui/*/fail/*.rs");
}
