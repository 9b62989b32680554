/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.access;

/** All tokens and passwords made so far were printed. */
public record CredentialsShown() {}
