//! One call from the bytes of its request to the bytes of its answer, in memory.
#![allow(missing_docs, reason = "criterion's macros write undocumented functions")]

use criterion::{Criterion, criterion_group, criterion_main};
use mcp_benches::{CALLS, connection, exchange, large_call};

fn dispatch(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("dispatch");
    let connection = connection();
    let mut out = Vec::new();
    for (name, call, expected) in CALLS {
        exchange(&connection, call, expected, &mut out);
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                out.clear();
                connection.answer(call.as_bytes(), &mut out)
            });
        });
    }
    let large = large_call();
    exchange(&connection, &large, "0123456789abcdef", &mut out);
    group.bench_function("echo_64k", |bencher| {
        bencher.iter(|| {
            out.clear();
            connection.answer(large.as_bytes(), &mut out)
        });
    });
    group.finish();
}

criterion_group!(benches, dispatch);
criterion_main!(benches);
