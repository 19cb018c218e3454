//! `#[story::test]`: an async function as a test on a product or a database of its own.

use proc_macro::{Delimiter, Group, TokenStream, TokenTree};

/// Makes an async function a test, which the harness's `story` runs on a fresh product or
/// database.
///
/// A parameter that is a reference is that product or database. Any other is made by the function
/// of its name in the harness's `given`. `#[story::test(change)]` changes the product's settings
/// first, by the harness's `story_where`.
#[proc_macro_attribute]
pub fn test(change: TokenStream, function: TokenStream) -> TokenStream {
    if change.is_empty() {
        run_by("story(", function)
    } else {
        run_by(&format!("story_where({change}, "), function)
    }
}

/// Makes an async function a test, which the harness's `in_a_folder` runs in an empty folder.
#[proc_macro_attribute]
pub fn in_a_folder(_: TokenStream, function: TokenStream) -> TokenStream {
    run_by("in_a_folder(", function)
}

fn run_by(runner: &str, function: TokenStream) -> TokenStream {
    let mut tokens = function.clone().into_iter().skip_while(|token| token.to_string() != "fn");
    let (Some(name), Some(TokenTree::Group(parameters))) = (tokens.nth(1), tokens.next()) else {
        return parsed("compile_error!(\"a story is a function with a name\");");
    };
    let arguments = arguments(parameters.stream());
    let story = format!("async |on| {name}({arguments}).await");
    let run = parsed(&format!("crate::harness::{runner}{story});"));
    let body = Group::new(Delimiter::Brace, function.into_iter().chain(run).collect());
    parsed(&format!("#[test] fn {name}()")).into_iter().chain([TokenTree::Group(body)]).collect()
}

/// What is handed over for each parameter, `on` being what the story runs on.
fn arguments(parameters: TokenStream) -> String {
    let tokens: Vec<_> = parameters.into_iter().map(|token| token.to_string()).collect();
    let argument = |window: &[String]| match [&*window[0], &*window[1], &*window[2]] {
        [":", _, _] | [_, _, ":"] => None,
        [_, ":", "&"] => Some("on, ".to_owned()),
        [name, ":", _] => Some(format!("crate::harness::given::{name}(on).await, ")),
        _ => None,
    };
    tokens.windows(3).filter_map(argument).collect()
}

fn parsed(code: &str) -> TokenStream {
    code.parse().expect("is Rust")
}
