/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app.security;

/** Every token and password that was made until now was printed. */
public record CredentialsShown() {}
