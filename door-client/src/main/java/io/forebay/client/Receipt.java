/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.client;

/**
 * A statement was accepted and will be performed once. Its text can be stored, and the result
 * requested later by another client with the same token.
 *
 * @param id of the statement
 * @param location the address of the result, without the host
 */
public record Receipt(String id, String location) {}
