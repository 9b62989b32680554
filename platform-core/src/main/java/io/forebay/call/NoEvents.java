/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.call;

/** The answers of a service whose methods return results and which sends nothing else. */
public interface NoEvents {}
