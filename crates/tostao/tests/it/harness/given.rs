//! What a story begins with, by the names of its parameters.

use serde_json::json;

use crate::affiliates::Scene;
use crate::harness::TestApp;
use crate::harness::client::Client;
use crate::harness::receiver::Receiver;
use crate::harness::shop::Shop;

/// The merchant whom the story is about.
pub async fn shop(test: &TestApp) -> Shop {
    test.shop("Loja").await
}

/// A merchant who has nothing to do with the first.
pub async fn other(test: &TestApp) -> Shop {
    test.shop("Outra").await
}

/// A merchant who sells for the first.
pub async fn affiliate(test: &TestApp) -> Shop {
    test.shop("Bia").await
}

/// A merchant with a product, a program and an affiliate.
pub async fn scene(test: &TestApp) -> Scene {
    Scene::open(test, json!({})).await
}

/// An administrator, looking at development data.
pub async fn admin(test: &TestApp) -> Client {
    test.admin().await
}

/// A merchant's server that takes webhooks.
pub async fn receiver(_: &TestApp) -> Receiver {
    Receiver::start().await
}
