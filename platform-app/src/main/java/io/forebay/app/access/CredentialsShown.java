/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app.access;

/** All tokens and passwords made so far were printed. */
public record CredentialsShown() {}
