/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench.endpoints;

/** Who owns contracts. */
public record Customer(long id, String firstName, String lastName) {}
