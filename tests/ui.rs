//! Programs that the macros must take, and programs with one mistake each, whose whole error text stands beside them.
//!
//! `TRYBUILD=overwrite` writes the texts anew; read them before you commit them.

#[test]
fn right_programs_run() {
    let programs = trybuild::TestCases::new();
    for attribute in ["tool", "resource", "prompt", "server", "parameter"] {
        programs.pass(format!("ui/{attribute}/pass/*.rs"));
    }
}

#[test]
fn every_mistake_is_told_once_at_its_place() {
    let programs = trybuild::TestCases::new();
    for attribute in ["tool", "resource", "prompt", "server", "parameter"] {
        programs.compile_fail(format!("ui/{attribute}/fail/*.rs"));
    }
}

/// What is found when code is made for a call: because of the programs that run, all are built to the end.
#[test]
fn names_of_parts_are_compared_by_the_compiler() {
    let programs = trybuild::TestCases::new();
    programs.pass("ui/mount/pass/*.rs");
    programs.compile_fail("ui/mount/fail/*.rs");
}
