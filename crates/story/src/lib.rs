//! `#[story::test]`: an async function as a test of the whole product.

use proc_macro::{Delimiter, Group, TokenStream, TokenTree};

/// Makes `async fn name(test: &TestApp)` a test, which the harness's `story` runs on a fresh
/// product.
#[proc_macro_attribute]
pub fn test(arguments: TokenStream, function: TokenStream) -> TokenStream {
    if !arguments.is_empty() {
        return parsed("compile_error!(\"a story takes no arguments\");");
    }
    let is_fn = |token: &TokenTree| token.to_string() == "fn";
    let name = function.clone().into_iter().skip_while(|token| !is_fn(token)).nth(1);
    let Some(name) = name else {
        return parsed("compile_error!(\"a test is a function with a name\");");
    };
    let run = parsed(&format!("crate::harness::story({name});"));
    let body = Group::new(Delimiter::Brace, function.into_iter().chain(run).collect());
    parsed(&format!("#[test] fn {name}()")).into_iter().chain([TokenTree::Group(body)]).collect()
}

fn parsed(code: &str) -> TokenStream {
    code.parse().expect("is Rust")
}
